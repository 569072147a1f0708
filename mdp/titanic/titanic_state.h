#pragma once
// Titanic's decisions (9/TSP): stores requests until they are executed, and replies until they
// are closed. Pure. The shell around it is `service`.

#include "mdp/titanic/command.h"
#include "mdp/titanic/execution.h"
#include "mdp/titanic/options.h"
#include "mdp/titanic/request_database.h"
#include "mdp/titanic/request_id.h"
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

// Answers clients and decides what to store. `execution` decides about accepted requests. If the
// store has failed, no request is accepted or dispatched, but readable replies are still sent.
// After a failed read, Titanic accepts no request until a read succeeds. It stores no outcome for a
// request that it could not read, and reads that request again.
class titanic_state {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using actions = titanic_actions;

  // `seed` has 64 random bits, so that clients cannot choose ids that collide.
  explicit titanic_state(titanic_options options, std::uint64_t seed = 0);
  titanic_state(const titanic_state&) = delete;
  titanic_state& operator=(const titanic_state&) = delete;

  // Takes all slots of the opened store, by number. Must be the first call.
  void on_recovered(std::vector<stored_request>&& slots, time_point now, actions& out);

  // Requests to the services. Each one gets one answer with its `caller`, which must not be 0.
  // `random` becomes the id, and must be unpredictable. `principal` is that of the client. Requests
  // of other principals count as unknown.
  void on_request(std::uint64_t caller, zmtp::message&& asked, const request_id& random,
                  actions& out, std::string_view principal = {});
  // Same, with an id of the client. A known id identifies the request that was stored with it
  // first, until that request is closed. The rest of the message is then ignored.
  void on_submit(std::uint64_t caller, zmtp::message&& asked, actions& out,
                 std::string_view principal = {});
  void on_reply(std::uint64_t caller, const zmtp::message& asked, actions& out,
                std::string_view principal = {});
  void on_close(std::uint64_t caller, const zmtp::message& asked, time_point now, actions& out,
                std::string_view principal = {});

  void on_stored(store_result&& result, time_point now, actions& out);
  // A PARTIAL of an attempt's reply, which is stored together with the last part.
  void on_dispatch_part(std::uint64_t id, const zmtp::message& part) {
    execution_.on_dispatch_part(id, part);
  }
  // An attempt has ended with the last part of a reply, or with an error of mdp::client.
  void on_dispatch_end(std::uint64_t id, boost::system::error_code ec, zmtp::message&& reply,
                       time_point now, actions& out) {
    execution_.on_dispatch_end(id, ec, std::move(reply), now, out);
  }

  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  void on_deadline(time_point now, actions& out);

  // Titanic will stop: it assigns no more requests to services and removes none. Clients still get
  // answers.
  void drain() noexcept;
  // Returns whether no request is in flight and the store has completed all operations.
  [[nodiscard]] bool drained() const noexcept;

  // Without sync_time, which the store has.
  [[nodiscard]] titanic_status status(time_point now) const;
  // Returns up to `count` requests without an outcome, the oldest first.
  [[nodiscard]] std::vector<pending_request> pending(std::size_t count, time_point now) const {
    return execution_.pending(count, now);
  }
  [[nodiscard]] bool contains(const request_id& id, std::string_view principal) const {
    return requests_.contains(id, principal);
  }
  // Returns up to `count` services in byte order of their names, from the first name after `after`.
  [[nodiscard]] std::vector<titanic_service_status> services(std::string_view after = {},
                                                             std::size_t count = SIZE_MAX) const {
    return execution_.services().status(after, count);
  }

private:
  // The caller of operations that Titanic starts itself. It gets no answer.
  static constexpr std::uint64_t nobody = 0;

  // `request` has the service and the body.
  void accept(std::uint64_t caller, const request_id& id, std::string_view principal,
              zmtp::message&& request, actions& out);
  static void answer(std::uint64_t caller, std::string_view code, actions& out);
  static void answer_accepted(std::uint64_t caller, const request_id& id, actions& out);
  void on_accepted(const store_tickets::ticket& about, boost::system::error_code ec, time_point now,
                   actions& out);
  void on_closed(const store_tickets::ticket& about, boost::system::error_code ec, time_point now,
                 actions& out);
  // A read failed, or a write that had to read.
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
  // Callers that submitted the same id while the request was being stored, by number.
  boost::unordered_flat_map<std::uint64_t, std::vector<std::uint64_t>> also_asked_;
};

}  // namespace mdp::titanic
