#pragma once
// The updates of a client in flight: their collectors, deadlines and commits. Pure.

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

// An update is first sent while the client follows a server, to all connected collectors. A
// collector that connects later, and a server that the client follows later, get all uncommitted
// updates, in order. The followed server decides what is committed: a Zinc server by
// acknowledgements, other servers by publishing the update. An update outside of the subtree is
// committed when it is written to the kernel of such a server.
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

  // Follows this server, which gets the pending updates again, or no server.
  void follow(std::size_t server, bool acknowledges, time_point now, actions& out);
  void follow_none() noexcept;
  // The followed server has sent an acknowledgement.
  void on_acknowledgement(const acknowledgement& notified, time_point now, actions& out);
  // With other servers only: an update has arrived, which may be one of this client.
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
    // The awaited mark, and the counter up to which updates are written when it is reached.
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
  const std::size_t most_value_bytes_;
  const bool always_send_ttl_;
  const std::chrono::milliseconds resend_after_;
  pending_sets pending_;
  std::vector<collector> collectors_;
  std::optional<followed> followed_;
  std::uint64_t last_mark_ = 0;
  ticket last_ticket_ = 0;
  time_point progress_;  // time of the last send or commit
  std::vector<pending_sets::ended> done_;
  std::set<std::pair<time_point, ticket>> ends_;
  boost::unordered_flat_map<ticket, time_point> end_of_;
  std::uint64_t resent_ = 0;
  std::uint64_t committed_ = 0;
};

}  // namespace chp
