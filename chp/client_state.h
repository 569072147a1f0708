#pragma once
// A client of the clustered hashmap (12/CHP): which server it follows, its copy of the map, and its updates
// until they are committed. Pure; the shell around it is `client`.

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

// The map changes only by what the server says: an update of our own is seen when it comes back, in the
// server's order. It is committed when a server of ours acknowledges it, which is when its backup has it too;
// at servers of others when it has come back, or outside of our subtree when it is written.
class client_state {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using actions = client_actions;
  using ticket = client_updates::ticket;

  // Servers are numbers here, from 0. `session` names this client to servers of ours (update_id), and all
  // clients see it; `seed`, which nobody sees, spreads the pauses of many clients and hashes the keys.
  client_state(std::size_t servers, const client_options& options, std::uint64_t session,
               std::uint64_t seed = 1);

  void start(time_point now, actions& out);

  // Of the connections to the current server. `ours`: it announces that it acknowledges.
  void on_subscriber_attached(bool ours, time_point now, actions& out);
  void on_subscriber_message(zmtp::message&& m, time_point now, actions& out);
  void on_snapshot_attached(time_point now, actions& out);
  void on_snapshot_message(const zmtp::message& m, time_point now, actions& out);
  // One of them has ended.
  void on_lost(time_point now, actions& out);
  // There is nobody at the other end.
  void on_unreachable(time_point now, actions& out);

  // Of the connections on which updates are published, one for each server, always.
  void on_collector_subscribed(std::size_t server, time_point now, actions& out) {
    updates_.on_collector_subscribed(server, now, out);
  }
  void on_collector_detached(std::size_t server) { updates_.on_collector_detached(server); }
  void on_written(std::size_t server, std::uint64_t mark, time_point now, actions& out) {
    updates_.on_written(server, mark, now, out);
  }

  // Takes an update in; an empty value erases, in kvsimple it is one. It ends by a completion: without error when it is committed;
  // at `end` with errc::not_sent, when it is withdrawn, or unconfirmed, when it is sent on until it is.
  // Errors: those of check_key(), value_too_long, ttl_too_short, not_in_kvsimple.
  [[nodiscard]] boost::system::result<ticket, errc> set(std::string key, std::string value,
                                                        std::optional<std::chrono::seconds> ttl,
                                                        std::optional<time_point> end,
                                                        time_point now, actions& out) {
    return updates_.set(std::move(key), std::move(value), ttl, end, now, out);
  }
  // Nobody waits for it any more; no completion comes.
  pending_sets::given_up cancel(ticket of) { return updates_.cancel(of); }

  // May come early.
  void on_deadline(time_point now, actions& out);
  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;

  // Maps that were swapped for others are freed in pieces, of so many keys at most. True if all are.
  bool tidy(std::size_t most) noexcept;

  // Whether changes are to be told.
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
  void carry(server_dialogue::wish wish, time_point now, actions& out);
  void close_gap(server_dialogue::wish renew, client_event::kind why, time_point now, actions& out);
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
  bool visiting_ = false;  // the current server; else it is waited until it may be connected to
  std::uint64_t visits_ = 0;
  bool ours_ = false;  // … acknowledges
  server_dialogue dialogue_;
  gap_check gaps_;
  std::uint64_t store_seed_;
  std::unique_ptr<store> map_;
  std::unique_ptr<store> incoming_;                // the snapshot
  std::vector<std::unique_ptr<store>> discarded_;  // see tidy()
  std::vector<zmtp::message> behind_;              // KVPUBs that came while a snapshot did not
  std::size_t behind_octets_ = 0;
  std::optional<sequence> seen_;
  bool ready_ = false;
  bool degraded_ = false;
  bool watched_ = false;

  client_updates updates_;
  client_counters counters_;
};

}  // namespace chp
