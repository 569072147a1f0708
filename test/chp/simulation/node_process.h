#pragma once
// One server of a pair in virtual time: chp::server_state and bstar::state_machine with their sockets, called
// in the order of their shells. Reports the server's messages to the ledger.

#include "bstar/state_machine.h"
#include "chp/map_database.h"
#include "chp/server_state.h"
#include "test/chp/memory_map_database.h"
#include "test/chp/simulation/town.h"
#include "zmtp/message.h"
#include "zmtp/peer.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace chp::simulation {

class node_process final : public process {
public:
  struct options {
    server_options server{};
    bstar::pair_options pair{};
    std::size_t subscriber_bytes = 64 * 1024;  // queue limit; above it, a disconnect
    bool stored = false;                       // with a map_database, on a disk that takes its time
  };
  // Faults to put in, to see that they are noticed.
  struct planted_fault {
    // May change the actions before they are carried out.
    std::function<void(const server_state&, server_actions&)> edit{};
    // … or a message of a client; false drops it.
    std::function<bool(const server_state&, zmtp::message&)> received{};
    // … or requests and offers to the peer.
    std::function<void(zmtp::message&)> asked{};
    // … or answers to requests for a snapshot.
    std::function<void(zmtp::message&)> answered{};
    bool expires_when_passive = false;
    bool acknowledges_at_once = false;
    bool expires_early = false;
    bool forgets_epoch = false;            // when it is killed
    bool says_stored_at_once = false;      // before it is
    bool takes_over_with_nothing = false;  // does not detect the loss of its map
    bool answers_each_question = false;    // answers the requests of its backup one after the other
    bool drops_answers = false;            // if a queue is full, and keeps the connection
  };

  // Listens at the addresses of its name; its peer has the name `peer`. The primary is node 0.
  node_process(town& in, std::string name, std::string peer, const options& how)
      : process{in, std::move(name)}, peer_{std::move(peer)}, options_{how} {}

  [[nodiscard]] planted_fault& faults() noexcept { return faults_; }
  [[nodiscard]] bool stored() const noexcept { return options_.stored; }
  // Fills the disk, or frees it again.
  void fill_disk(bool full) noexcept { disk_is_full_ = full; }
  [[nodiscard]] std::size_t number() const noexcept {
    return options_.pair.as == bstar::role::primary ? 0 : 1;
  }
  // Returns the number of snapshots that the server has requested from its peer.
  [[nodiscard]] std::size_t questions() const noexcept { return questions_; }
  // Returns the number of requests of its peer that arrived together with an earlier one.
  [[nodiscard]] std::size_t questions_at_once() const noexcept { return questions_at_once_; }
  // While it runs.
  [[nodiscard]] bool serving() const { return life_->machine.serving(); }
  [[nodiscard]] server_status status() const { return life_->state.status(); }
  [[nodiscard]] const store& map() const { return life_->state.map(); }

private:
  struct listener {
    zmtp::peer_id peer;
    bool ours;
  };
  struct life {
    life(node_process& of, std::uint64_t random);

    server_state state;
    server_actions actions;
    bstar::state_machine machine;
    bstar::machine_actions machine_actions;
    sim_socket* snapshots = nullptr;  // ROUTER
    sim_socket* publisher = nullptr;  // XPUB
    sim_socket* collector = nullptr;  // SUB
    sim_socket* teller = nullptr;     // XPUB: our state
    sim_socket* hearer = nullptr;     // SUB: the peer's
    sim_socket* feed = nullptr;       // SUB, to the peer's publisher
    sim_socket* source = nullptr;     // DEALER, to the peer's snapshots
    sim_alarm alarm;
    sim_alarm pair_alarm;
    std::vector<listener> listeners;
    std::map<zmtp::peer_id, std::uint64_t> sessions;  // by subscriber
    // Messages that did not fit into the queue, by the peer that sent the request. More messages follow.
    std::map<zmtp::peer_id, std::deque<zmtp::message>> streams;
    std::map<zmtp::peer_id, std::size_t> unanswered;  // see answers_each_question
    bool stream_ask = false;
    bool held = false;  // something is left in a socket, since too much waits for the disk
    time_point last_received_at;
    std::vector<std::vector<map_change>> to_write;
    std::vector<std::vector<map_change>> written;  // with one sync, which has not come to its end
  };

  void begin() override;
  void end() override;
  void on_kill(bool without_power) override;
  void open_source();
  [[nodiscard]] bool serve_snapshot_clients();
  [[nodiscard]] bool serve_subscribers();
  [[nodiscard]] bool collect();
  [[nodiscard]] bool hear_peer();
  [[nodiscard]] bool hear_listeners();
  [[nodiscard]] bool follow_feed();
  [[nodiscard]] bool hear_source();
  void on_snapshot_client(zmtp::routed_message& item);
  void on_question(zmtp::peer_id backup);
  [[nodiscard]] bool answer_another(zmtp::peer_id backup);
  void on_set(zmtp::message&& m);
  void on_time();
  void on_pair_time();
  void expire_wrongly();
  [[nodiscard]] bool vote();
  void tell(const listener& to);
  void carry_out_pair();
  void activate(bstar::epoch epoch);
  [[nodiscard]] bool stream();
  [[nodiscard]] bool has_room();
  void finish();
  void carry_out();
  void write();
  void on_synced();
  [[nodiscard]] std::vector<boost::system::error_code> store_written();
  void tell_books();

  std::string peer_;
  options options_;
  planted_fault faults_;
  bstar::epoch disk_ = 0;
  memory_map_database::contents disk_map_;
  bool disk_is_full_ = false;
  bool disk_refuses_ = false;  // refuses everything but a whole map after the disk was full
  std::size_t questions_ = 0;
  std::size_t questions_at_once_ = 0;
  std::optional<time_point> last_question_;  // last request of the peer
  std::optional<life> life_;
};

}  // namespace chp::simulation
