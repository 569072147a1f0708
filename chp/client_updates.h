#pragma once
// The updates of a client until both servers have them: collectors, deadlines and outcomes. Pure.

#include "chp/answers.h"
#include "chp/client_actions.h"
#include "chp/client_options.h"
#include "chp/client_status.h"
#include "chp/command.h"
#include "chp/error.h"
#include "chp/kept_updates.h"
#include "chp/lineage.h"
#include "chp/pending_sets.h"
#include "chp/truth.h"

#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chp {

// An update is first sent while the client follows a server. A collector that connects later, and a
// server that the client follows later, get all updates without an outcome, in order.
//
// A server with a log answers each update. It is the only one that gets updates, because a copy at
// another server could be executed after its update was lost. See kept_updates for answered ones.
// Servers without a log all get the updates. The followed one commits them by publishing them. An
// update outside of the subtree is committed when it is written to the kernel of such a server.
class client_updates {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using actions = client_actions;
  using ticket = pending_sets::ticket;

  client_updates(std::size_t servers, const client_options& options, std::uint64_t session);

  // The settings of an update.
  struct request {
    std::optional<std::chrono::seconds> ttl{};
    bool for_both = false;  // it waits until both servers have the update
    std::optional<time_point> end{};
  };
  // See client_state::add_update().
  [[nodiscard]] boost::system::result<ticket, errc> add_update(std::string key,
                                                               std::optional<std::string> value,
                                                               const request& how, time_point now,
                                                               actions& out);
  pending_sets::given_up cancel(ticket of);

  // Follows this server, or none. `log_end`: the end of its log, if it has one.
  void follow(std::size_t server, const std::optional<position>& log_end, time_point now,
              actions& out);
  void follow_none() noexcept;
  // Both servers have what one server had.
  void on_replicated(time_point now) noexcept;
  // With a log only: the followed server has answered.
  void on_answers(const std::vector<answer_range>& all, time_point now, actions& out);
  // With other servers only: an update has arrived, which may be one of this client.
  void on_echo(const update& u, time_point now, actions& out);
  // The same for an entry of a snapshot, which counts when the snapshot is adopted.
  void on_snapshot_entry(const update& u);
  void on_snapshot_adopted(time_point now, actions& out);
  void on_snapshot_dropped() noexcept { in_snapshot_.clear(); }
  // The history of the answers is lost: another one will be followed. See kept_updates.
  void on_history_lost(const lineage& before, const lineage* now) {
    kept_.on_history_lost(before, now);
  }
  // The servers have forgotten the session. All updates with a counter end.
  void on_session_forgotten(actions& out);
  void begin_session(std::uint64_t session) noexcept;

  void on_collector_subscribed(std::size_t server, bool has_log, time_point now, actions& out);
  void on_collector_detached(std::size_t server);
  void on_written(std::size_t server, std::uint64_t mark, time_point now, actions& out);

  void on_deadline(time_point now, actions& out);
  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;

  [[nodiscard]] std::size_t sent() const noexcept { return pending_.sent(); }
  [[nodiscard]] std::size_t unsent() const noexcept { return pending_.unsent(); }
  [[nodiscard]] std::size_t kept() const noexcept { return kept_.size(); }
  [[nodiscard]] std::size_t asked() const noexcept { return kept_.asked(); }
  // Adds the counters of updates.
  void count(client_counters& to) const noexcept;

private:
  struct collector {
    bool subscribed = false;
    bool has_log = false;
    bool resends = false;  // the server does not have what was sent before it subscribed
    // The awaited mark, and the counter up to which updates are written when it is reached.
    std::optional<std::pair<std::uint64_t, std::uint64_t>> awaited;
  };
  struct followed {
    std::size_t server;
    bool has_log;
  };

  [[nodiscard]] errc check(std::string_view key, const std::optional<std::string>& value,
                           const request& how) const noexcept;
  [[nodiscard]] bool with_log() const noexcept { return followed_ && followed_->has_log; }
  [[nodiscard]] bool goes_to(std::size_t server) const noexcept;
  [[nodiscard]] std::string_view more_properties(bool asks);
  [[nodiscard]] zmtp::message again(const sent_update& one, bool asks);
  [[nodiscard]] zmtp::message question(std::uint64_t counter, std::string_view key);
  void send_unsent(time_point now, actions& out);
  void resend(std::size_t server, time_point now, actions& out);
  void await_written(actions& out);
  void answer(sent_update&& one, const answer_range& of, actions& out);
  void answer_kept(const answer_range& of, actions& out);
  void drop_excess(actions& out);
  void finish_committed(time_point now, actions& out);
  void finish(ticket of, errc how, truth says, actions& out);
  void forget_end(ticket of);
  void give_up(ticket of, actions& out);
  [[nodiscard]] std::optional<time_point> resend_at() const noexcept;

  const std::string subtree_;
  const form how_;
  const std::size_t most_value_bytes_;
  const bool always_send_ttl_;
  const std::chrono::milliseconds resend_after_;
  pending_sets pending_;
  kept_updates kept_;
  std::vector<collector> collectors_;
  std::optional<followed> followed_;
  std::optional<std::string> since_;  // the property; absent until a log is followed
  std::uint64_t last_mark_ = 0;
  ticket last_ticket_ = 0;
  time_point progress_;                 // time of the last send or outcome
  std::vector<update_id> in_snapshot_;  // those of this client
  std::vector<pending_sets::ended> done_;
  std::vector<sent_update> taken_;
  std::string more_;  // a member, so that its memory is reused
  std::set<std::pair<time_point, ticket>> ends_;
  boost::unordered_flat_map<ticket, time_point> end_of_;
  std::uint64_t resent_ = 0;
  std::uint64_t committed_ = 0;
  std::uint64_t lost_ = 0;
};

}  // namespace chp
