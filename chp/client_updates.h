#pragma once
// The updates of a client on their way: to which collectors, until when, and when they are committed. Pure.

#include "chp/acknowledgement.h"
#include "chp/client_actions.h"
#include "chp/client_options.h"
#include "chp/command.h"
#include "chp/error.h"
#include "chp/pending_sets.h"

#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace chp {

// An update is sent first while a server is followed, to all that listen; those that come late, and one that
// is followed from then on, are sent what is not committed, in its order. The server that is followed says
// what is committed: by acknowledgements, if it is of ours; else by echoes, and where there will be none, it
// is committed when it is written.
class client_updates {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using actions = client_actions;
  using ticket = pending_sets::ticket;

  client_updates(std::size_t servers, const client_options& options, std::uint64_t session);

  [[nodiscard]] boost::system::result<ticket, errc> set(std::string key, std::string value,
                                                        std::optional<std::chrono::seconds> ttl,
                                                        std::optional<time_point> end,
                                                        time_point now, actions& out);
  pending_sets::given_up cancel(ticket of);

  // The client follows this server, which is sent what is pending once more; or none.
  void follow(std::size_t server, bool acknowledges, time_point now, actions& out);
  void follow_none() noexcept;
  // The server that is followed has said so.
  void on_acknowledgement(const acknowledgement& told, time_point now, actions& out);
  // Of servers of others alone: an update has come, which may be one of ours.
  void on_echo(const update& u, time_point now, actions& out);

  void on_collector_subscribed(std::size_t server, time_point now, actions& out);
  void on_collector_detached(std::size_t server);
  void on_written(std::size_t server, std::uint64_t mark, time_point now, actions& out);

  void on_deadline(time_point now, actions& out);
  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;

  [[nodiscard]] std::size_t sent() const noexcept { return pending_.sent(); }
  [[nodiscard]] std::size_t unsent() const noexcept { return pending_.unsent(); }
  [[nodiscard]] std::uint64_t resent() const noexcept { return resent_; }
  [[nodiscard]] std::uint64_t committed() const noexcept { return committed_; }

private:
  struct collector {
    bool subscribed = false;
    // The mark that is waited for, and the counter up to which updates are written then.
    std::optional<std::pair<std::uint64_t, std::uint64_t>> awaited;
  };
  struct followed {
    std::size_t server;
    bool acknowledges;
  };

  void send_unsent(time_point now, actions& out);
  void resend(std::size_t server, time_point now, actions& out);
  void await_written(actions& out);
  void finish_committed(time_point now, actions& out);
  void finish(ticket of, boost::system::error_code ec, actions& out);
  void forget_end(ticket of);
  [[nodiscard]] std::optional<time_point> resend_at() const noexcept;

  const std::string subtree_;
  const form how_;
  const std::size_t most_value_octets_;
  const bool always_send_ttl_;
  const std::chrono::milliseconds resend_after_;
  pending_sets pending_;
  std::vector<collector> collectors_;
  std::optional<followed> followed_;
  std::uint64_t last_mark_ = 0;
  ticket last_ticket_ = 0;
  time_point progress_;  // when something was last sent first or again, or committed
  std::vector<pending_sets::ended> done_;
  std::set<std::pair<time_point, ticket>> ends_;
  boost::unordered_flat_map<ticket, time_point> end_of_;
  std::uint64_t resent_ = 0;
  std::uint64_t committed_ = 0;
};

}  // namespace chp
