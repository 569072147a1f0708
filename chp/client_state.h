#pragma once
// The decisions of a client of the clustered hashmap (12/CHP): which server it follows, its copy of
// the map, and its updates until they are committed. Pure. The shell around it is `client`.

#include "chp/client_actions.h"
#include "chp/client_options.h"
#include "chp/client_status.h"
#include "chp/client_updates.h"
#include "chp/command.h"
#include "chp/error.h"
#include "chp/gap_check.h"
#include "chp/server_dialogue.h"
#include "chp/server_round.h"
#include "chp/store.h"
#include "zmtp/message.h"

#include <boost/system/result.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chp {

// The copy changes only by messages of the server: the client sees its own update when the server
// publishes it, in the server's order. A Zinc server acknowledges an update when its backup has it
// too. With other servers, an update is committed when it comes back, or outside of the client's
// subtree when it is written to the kernel.
class client_state {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using actions = client_actions;
  using ticket = client_updates::ticket;

  // Servers are numbers from 0. `session` identifies this client at Zinc servers (update_id), and
  // all clients can see it. `seed` is secret. It varies the pauses between clients and hashes the
  // keys.
  client_state(std::size_t servers, const client_options& options, std::uint64_t session,
               std::uint64_t seed = 1);

  void start(time_point now, actions& out);

  // Events of the connections to the current server. `ours`: it announces that it acknowledges.
  void on_subscriber_attached(bool ours, time_point now, actions& out);
  void on_subscriber_message(zmtp::message&& m, time_point now, actions& out);
  void on_snapshot_attached(time_point now, actions& out);
  void on_snapshot_message(const zmtp::message& m, time_point now, actions& out);
  // One of the connections has ended.
  void on_lost(time_point now, actions& out);
  // No peer listens at the endpoint.
  void on_unreachable(time_point now, actions& out);

  // Events of the connections on which updates are published. Each server has one, all the time.
  void on_collector_subscribed(std::size_t server, time_point now, actions& out) {
    updates_.on_collector_subscribed(server, now, out);
  }
  void on_collector_detached(std::size_t server) { updates_.on_collector_detached(server); }
  void on_written(std::size_t server, std::uint64_t mark, time_point now, actions& out) {
    updates_.on_written(server, mark, now, out);
  }

  // Adds an update. An empty value erases the key, except in kvsimple. A completion ends the
  // update: without an error when it is committed; at `end` with errc::not_sent if it is withdrawn,
  // or errc::unconfirmed if it was sent and is still resent.
  // Errors: those of check_key(), value_too_long, ttl_too_short, not_in_kvsimple.
  [[nodiscard]] boost::system::result<ticket, errc> set(std::string key, std::string value,
                                                        std::optional<std::chrono::seconds> ttl,
                                                        std::optional<time_point> end,
                                                        time_point now, actions& out) {
    return updates_.set(std::move(key), std::move(value), ttl, end, now, out);
  }
  // Ends the wait for an update. No completion follows.
  pending_sets::given_up cancel(ticket of) { return updates_.cancel(of); }

  // May be called early.
  void on_deadline(time_point now, actions& out);
  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;

  // Frees at most `most` keys of replaced maps. Returns true when all are freed.
  bool tidy(std::size_t most) noexcept;

  // Sets whether changes are reported.
  void tell_changes(bool wanted) noexcept { watched_ = wanted; }

  [[nodiscard]] bool ready() const noexcept { return ready_; }
  [[nodiscard]] const store& map() const noexcept { return *map_; }
  [[nodiscard]] client_status status() const;

private:
  void visit(time_point now, actions& out);
  void leave(time_point now, actions& out);
  void leave(client_event::kind why, time_point now, actions& out);
  [[nodiscard]] bool concerns_us(std::string_view key) const noexcept {
    return key.starts_with(options_.subtree);
  }
  void ignore(errc fault, time_point now, actions& out);
  void carry(server_dialogue::action action, time_point now, actions& out);
  void close_gap(server_dialogue::action renew, client_event::kind why, time_point now,
                 actions& out);
  void keep(zmtp::message&& m, time_point now, actions& out);
  void on_update(const update& u, zmtp::message&& m, time_point now, actions& out);
  void on_heartbeat(const heartbeat& h, time_point now, actions& out);
  void on_snapshot_end(const snapshot_end& end, time_point now, actions& out);
  void adopt(const snapshot_end& end, time_point now, actions& out);
  void follow(sequence from, std::string_view properties, time_point now, actions& out);
  void apply(const update& u, time_point now, actions& out);
  void tell_difference(const store& before, sequence at, actions& out);
  [[nodiscard]] std::unique_ptr<store> new_store() const;
  void discard(std::unique_ptr<store>& what);
  [[nodiscard]] bool following() const noexcept;

  const client_options options_;
  const command_limits limits_;
  server_round round_;
  bool started_ = false;
  bool visiting_ = false;  // connected to the current server; otherwise waits until it may connect
  std::uint64_t visits_ = 0;
  bool ours_ = false;  // the current server acknowledges
  server_dialogue dialogue_;
  gap_check gaps_;
  std::uint64_t store_seed_;
  std::unique_ptr<store> map_;
  std::unique_ptr<store> incoming_;                // the snapshot in progress
  std::vector<std::unique_ptr<store>> discarded_;  // see tidy()
  std::vector<zmtp::message> behind_;              // KVPUBs that arrived during the snapshot
  std::size_t behind_bytes_ = 0;
  std::optional<sequence> seen_;
  bool ready_ = false;
  bool degraded_ = false;
  bool watched_ = false;

  client_updates updates_;
  client_counters counters_;
};

}  // namespace chp
