#pragma once
// The decisions of a client of the clustered hashmap (12/CHP): which server it follows, its copy of
// the map, and its updates until they are committed. Pure. The shell around it is `client`.

#include "chp/client_actions.h"
#include "chp/client_map.h"
#include "chp/client_options.h"
#include "chp/client_status.h"
#include "chp/client_updates.h"
#include "chp/command.h"
#include "chp/error.h"
#include "chp/gap_check.h"
#include "chp/seen_history.h"
#include "chp/server_round.h"
#include "chp/server_visit.h"
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
// publishes it, in the server's order. A server that tells its lineage has a log and answers each
// update (docs/chp-log.md, section 5). With other servers, an update is committed when it comes
// back, or outside of the client's subtree when it is written to the kernel.
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

  // Events of the connections to the current server. `has_log`: it announces that it has a log.
  void on_subscriber_attached(bool has_log, time_point now, actions& out);
  void on_subscriber_message(const message_parts& m, time_point now, actions& out);
  void on_snapshot_attached(time_point now, actions& out);
  void on_snapshot_message(const message_parts& m, time_point now, actions& out);
  // One of the connections has ended.
  void on_lost(time_point now, actions& out);
  // No peer listens at the endpoint.
  void on_unreachable(time_point now, actions& out);

  // Events of the connections on which updates are published. Each server has one, all the time.
  void on_collector_subscribed(std::size_t server, bool has_log, time_point now, actions& out) {
    updates_.on_collector_subscribed(server, has_log, now, out);
  }
  void on_collector_detached(std::size_t server) { updates_.on_collector_detached(server); }
  void on_written(std::size_t server, std::uint64_t mark, time_point now, actions& out) {
    updates_.on_written(server, mark, now, out);
  }

  // A new session, after client_actions::needs_session.
  void begin_session(std::uint64_t session, time_point now, actions& out);

  // Adds an update, which sets the key, or erases it if there is no value. A completion ends the
  // update: without an error when it is committed as required. At its end it completes with
  // errc::not_sent if it is withdrawn, errc::unconfirmed if it is still resent, or
  // errc::not_on_both.
  // Errors: those of check_key(), value_empty, value_too_long, ttl_too_short, not_in_kvsimple.
  [[nodiscard]] boost::system::result<ticket, errc> add_update(std::string key,
                                                               std::optional<std::string> value,
                                                               const client_updates::request& how,
                                                               time_point now, actions& out) {
    return updates_.add_update(std::move(key), std::move(value), how, now, out);
  }
  // Ends the wait for an update. No completion follows.
  pending_sets::given_up cancel(ticket of) { return updates_.cancel(of); }

  // May be called early.
  void on_deadline(time_point now, actions& out);
  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;

  // Frees at most `most` keys of replaced maps. Returns true when all are freed.
  bool tidy(std::size_t most) noexcept { return map_.tidy(most); }

  // Sets whether changes are reported.
  void tell_changes(bool wanted) noexcept { map_.tell_changes(wanted); }

  [[nodiscard]] bool ready() const noexcept { return ready_; }
  [[nodiscard]] const store& map() const noexcept { return map_.now(); }
  [[nodiscard]] client_status status() const;

private:
  void visit(time_point now, actions& out);
  void end_visit(actions& out);
  void leave(time_point now, actions& out);
  void leave(client_event::kind why, time_point now, actions& out);
  void drop_snapshot();
  [[nodiscard]] bool is_in_subtree(std::string_view key) const noexcept {
    return key.starts_with(options_.subtree);
  }
  void ignore(errc fault, time_point now, actions& out);
  void carry(server_visit::action action, time_point now, actions& out);
  void close_gap(server_visit::action renew, client_event::kind why, time_point now, actions& out);
  void keep(const message_parts& m, time_point now, actions& out);
  void on_update(const update& u, const message_parts& m, time_point now, actions& out);
  void on_heartbeat(const heartbeat& h, time_point now, actions& out);
  void set_degraded(bool is, time_point now, actions& out);
  void on_answers(std::string_view properties, time_point now, actions& out);
  void forget_session(actions& out);
  void on_entry(const update& entry, time_point now, actions& out);
  void on_snapshot_end(const snapshot_end& end, time_point now, actions& out);
  void adopt(const snapshot_end& end, bool lost, time_point now, actions& out);
  void follow(sequence from, std::string_view properties, time_point now, actions& out);
  void apply(const update& u, time_point now, actions& out);
  [[nodiscard]] const lineage_notice* notice() const noexcept {
    return notice_ ? &*notice_ : nullptr;
  }
  [[nodiscard]] bool following() const noexcept;

  const client_options options_;
  const command_limits limits_;
  server_round round_;
  bool started_ = false;
  bool visiting_ = false;  // connected to the current server; otherwise waits until it may connect
  bool needs_session_ = false;  // no server may be visited
  std::uint64_t visits_ = 0;
  bool has_log_ = false;                  // the current server announces a log
  std::optional<lineage_notice> notice_;  // by the current server, before the end of its snapshot
  server_visit visit_;
  gap_check gaps_;
  client_map map_;
  std::vector<zmtp::message> behind_;  // KVPUBs that arrived during the snapshot
  std::size_t behind_bytes_ = 0;
  seen_history seen_;
  bool ready_ = false;
  bool degraded_ = false;

  client_updates updates_;
  client_counters counters_;
};

}  // namespace chp
