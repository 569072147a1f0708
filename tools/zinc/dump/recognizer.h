#pragma once
// Recognizes messages that are commands of MDP, TSP, CHP and PPP. Pure.

#include "mdp/command.h"
#include "tools/zinc/dump/record.h"
#include "zmtp/message.h"
#include "zmtp/metadata.h"
#include "zmtp/socket_type.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace zinc::dump {

struct recognized {
  std::string name;
  std::vector<field> fields{};
};

// One object for each connection. Remembers what both sides have announced, because many commands look the same
// in different protocols and directions.
class recognizer {
public:
  void on_metadata(side from, const zmtp::metadata& announced);

  // The parts of `m` may be cut at the end, but never below 512 bytes. `last_size` is the real size of
  // the last part. Returns nothing if the message is of no known protocol.
  [[nodiscard]] std::optional<recognized> look(side from, const zmtp::message& m,
                                               std::uint64_t last_size);

private:
  struct peer {
    std::optional<zmtp::socket_type> type;
    bool principals = false;
  };

  [[nodiscard]] const peer& of(side which) const { return peers_[static_cast<std::size_t>(which)]; }
  [[nodiscard]] bool is(side which, zmtp::socket_type type) const { return of(which).type == type; }
  [[nodiscard]] bool from_broker(side from) const;

  [[nodiscard]] std::optional<recognized> look_for_subscription(side from,
                                                                const zmtp::message& m) const;
  [[nodiscard]] std::optional<recognized> look_for_mdp(side from, const zmtp::message& m);
  [[nodiscard]] std::optional<recognized> look_for_pair(const zmtp::message& m) const;
  [[nodiscard]] std::optional<recognized> look_for_snapshot(side from, const zmtp::message& m,
                                                            std::uint64_t last_size);
  [[nodiscard]] std::optional<recognized> look_for_update(side from, const zmtp::message& m,
                                                          std::uint64_t last_size) const;
  [[nodiscard]] std::optional<recognized> look_for_pirate(side from, const zmtp::message& m);

  void add(recognized& to, const mdp::client_request& command, zmtp::message& rest);
  void add(recognized& to, const mdp::worker_ready& command, zmtp::message& rest);
  void add(recognized& to, const mdp::worker_reply& command, zmtp::message& rest);
  void add(recognized& to, const mdp::worker_nack& command, zmtp::message& rest);
  void add(recognized& to, const mdp::worker_drain& command, zmtp::message& rest);
  void add(recognized& to, const mdp::worker_heartbeat& command, zmtp::message& rest);
  void add(recognized& to, const mdp::worker_disconnect& command, zmtp::message& rest);
  void add(recognized& to, const mdp::broker_request& command, zmtp::message& rest);
  void add(recognized& to, const mdp::broker_heartbeat& command, zmtp::message& rest);
  void add(recognized& to, const mdp::broker_disconnect& command, zmtp::message& rest);

  std::array<peer, 2> peers_;
  std::string service_;                    // the service of a worker of MDP
  std::optional<side> snapshot_asked_by_;  // a client of CHP
  bool pirates_ = false;                   // a worker of PPP was ready
};

}  // namespace zinc::dump
