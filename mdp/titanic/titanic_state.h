#pragma once
// Titanic (9/TSP): keeps requests until they are carried out, and their replies until they are closed.
// Pure; the shell around it is `service`.

#include "mdp/titanic/command.h"
#include "mdp/titanic/execution.h"
#include "mdp/titanic/options.h"
#include "mdp/titanic/request_id.h"
#include "mdp/titanic/request_store.h"
#include "mdp/titanic/request_table.h"
#include "mdp/titanic/retention.h"
#include "mdp/titanic/store_tickets.h"
#include "mdp/titanic/titanic_actions.h"
#include "mdp/titanic/titanic_status.h"
#include "zmtp/message.h"

#include <boost/system/error_code.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace mdp::titanic {

// What clients ask and are answered, and what is stored for it; what becomes of a request then is the
// execution's. When the store has failed, nothing is accepted or dispatched any more; what can be read is
// answered. After a read has failed, Titanic accepts no request until a read succeeds. It stores no outcome of
// a request that it could not read, and reads the request again.
class titanic_state {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using actions = titanic_actions;

  // `seed` are 64 random bits, by which clients that choose ids cannot make them collide.
  explicit titanic_state(titanic_options options, std::uint64_t seed = 0);
  titanic_state(const titanic_state&) = delete;
  titanic_state& operator=(const titanic_state&) = delete;

  // What the store had when it was opened, all slots by number. Before anything else.
  void on_recovered(std::vector<kept_request>&& slots, time_point now, actions& out);

  // Requests to the services. Each gets one answer with its `caller`, which must not be 0.
  // `random` becomes the id: it must not be guessable.
  void on_request(std::uint64_t caller, zmtp::message&& asked, const request_id& random,
                  actions& out);
  // With an id of the client's. One that is known already names the request that it came with first,
  // until that is closed: whatever else is said this time is not looked at.
  void on_submit(std::uint64_t caller, zmtp::message&& asked, actions& out);
  void on_reply(std::uint64_t caller, const zmtp::message& asked, actions& out);
  void on_close(std::uint64_t caller, const zmtp::message& asked, time_point now, actions& out);

  void on_stored(store_result&& result, time_point now, actions& out);
  // A PARTIAL of an attempt's reply: it is kept with the last part, as one reply.
  void on_dispatch_part(std::uint64_t id, const zmtp::message& part) {
    execution_.on_dispatch_part(id, part);
  }
  // An attempt has ended, with (the rest of) a reply or with an error of mdp::client.
  void on_dispatch_end(std::uint64_t id, boost::system::error_code ec, zmtp::message&& reply,
                       time_point now, actions& out) {
    execution_.on_dispatch_end(id, ec, std::move(reply), now, out);
  }

  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  void on_deadline(time_point now, actions& out);

  // Titanic will stop: it gives no more requests to services and removes no more. Clients still get answers.
  void drain() noexcept;
  // Returns whether no service has a request and the store has completed all operations.
  [[nodiscard]] bool drained() const noexcept;

  [[nodiscard]] titanic_status status() const noexcept;
  // In the order of their names, octet by octet: up to `count` from the first behind `after`.
  [[nodiscard]] std::vector<titanic_service_status> services(std::string_view after = {},
                                                             std::size_t count = SIZE_MAX) const {
    return execution_.services().status(after, count);
  }

private:
  // The request is the service and the body.
  void accept(std::uint64_t caller, const request_id& id, zmtp::message&& request, actions& out);
  static void answer(std::uint64_t caller, std::string_view code, actions& out);
  static void answer_accepted(std::uint64_t caller, const request_id& id, actions& out);
  void on_accepted(const store_tickets::ticket& about, boost::system::error_code ec, time_point now,
                   actions& out);
  void on_closed(const store_tickets::ticket& about, boost::system::error_code ec, time_point now,
                 actions& out);
  // A read, or a write that had to read, has failed.
  void on_read_failed(std::uint64_t number, time_point now);
  [[nodiscard]] bool accepting() const noexcept { return !store_.failed() && store_.readable(); }
  void expire(time_point now, actions& out);

  const titanic_options options_;
  titanic_counters counters_;
  request_table requests_;
  store_tickets store_;
  retention retention_;
  std::size_t expiring_ = 0;  // requests whose removal is being stored
  // A request that could not be read. Titanic reads it again after `backoff` until a read succeeds.
  struct unread {
    std::uint64_t number;
    time_point again_at;
    std::chrono::milliseconds backoff;
    bool being_read = false;
  };
  std::optional<unread> not_read_;
  bool draining_ = false;
  execution execution_{options_, requests_, store_, counters_};
  // Who has submitted it again while it was being stored, by number.
  boost::unordered_flat_map<std::uint64_t, std::vector<std::uint64_t>> also_asked_;
};

}  // namespace mdp::titanic
