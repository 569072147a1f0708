#pragma once
// The execution of accepted requests. Each request waits for its service, is assigned to it, and
// gets an outcome, which is stored. Pure.

#include "mdp/titanic/gathered_reply.h"
#include "mdp/titanic/held_bodies.h"
#include "mdp/titanic/options.h"
#include "mdp/titanic/pending_order.h"
#include "mdp/titanic/request_database.h"
#include "mdp/titanic/request_table.h"
#include "mdp/titanic/service_table.h"
#include "mdp/titanic/store_tickets.h"
#include "mdp/titanic/titanic_actions.h"
#include "mdp/titanic/titanic_status.h"
#include "mdp/titanic/unsaved_outcomes.h"
#include "zmtp/message.h"

#include <boost/system/error_code.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace mdp::titanic {

// Executes stored requests. The broker is asked (mmi.service) whether a service is present
// before a request is sent to it, so that waiting uses no attempts. A request is with one worker at
// a time. One attempt ends before the next starts, so there is at most one reply, which is the
// outcome. The request keeps its place in its service until the outcome is stored. So a crash
// repeats at most `in_flight` requests of each service.
//
// If the store has failed, no more requests are dispatched. Requests are identified by the numbers
// of their slots.
class execution {
public:
  using time_point = std::chrono::steady_clock::time_point;

  // The arguments belong to the owner and must outlive this object. The options must be workable.
  execution(const titanic_options& options, request_table& requests, store_tickets& store,
            titanic_counters& counters)
      : options_{options}, requests_{requests}, store_{store}, counters_{counters} {}
  execution(const execution&) = delete;
  execution& operator=(const execution&) = delete;

  // Queues the recovered requests that have no outcome.
  void recover(const std::vector<stored_request>& slots, time_point now, titanic_actions& out);
  // A new request for this service is being stored. begin() or forget() must follow.
  [[nodiscard]] service_record& add(std::string_view service);
  // Keeps the body in memory if there is space, so that it need not be read.
  void hold(std::uint64_t number, const zmtp::message& body) { held_.hold(number, body); }
  // The request is stored. From now on it waits for its service.
  void begin(std::uint64_t number, time_point now, titanic_actions& out);
  // Returns up to `count` requests without an outcome, the oldest first.
  [[nodiscard]] std::vector<pending_request> pending(std::size_t count, time_point now) const;
  // Returns the age of the first of them, or 0.
  [[nodiscard]] std::chrono::seconds oldest(time_point now) const;
  // The request could not be stored, or will be closed, with or without an outcome. Its phase
  // becomes `closing`.
  void forget(std::uint64_t number, time_point now, titanic_actions& out);

  // The store is readable again.
  void on_readable(time_point now, titanic_actions& out);
  // Results of store operations.
  void on_request_read(const store_tickets::ticket& about, store_result&& result, time_point now,
                       titanic_actions& out);
  void on_outcome_stored(const store_tickets::ticket& about, boost::system::error_code ec,
                         time_point now, titanic_actions& out);

  // Assigns no more requests to services. Requests in flight still get their outcome.
  void drain() noexcept { draining_ = true; }

  // See titanic_state.
  void on_dispatch_part(std::uint64_t id, const zmtp::message& part);
  void on_dispatch_end(std::uint64_t id, boost::system::error_code ec, zmtp::message&& reply,
                       time_point now, titanic_actions& out);
  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  void on_deadline(time_point now, titanic_actions& out);

  [[nodiscard]] const service_table& services() const noexcept { return services_; }

private:
  struct attempt {
    service_record* service;
    std::uint64_t number;  // 0: a lookup of the service
    std::uint64_t accepted;
    time_point begun;
    gathered_reply parts{};
  };

  void enter_order(std::uint64_t number, time_point since);
  [[nodiscard]] bool is_pending(const pending_order::place& one) const;
  void wait_in(service_record& service, std::uint64_t number, bool first);
  [[nodiscard]] bool next_waiting(service_record& service);
  // Returns whether the service can get its next request now. If the store is not readable, the
  // body must be in memory.
  [[nodiscard]] bool may_give(service_record& service);
  // Assigns the requests that the service can take, starts a lookup, or sets the time of the next
  // check.
  void look_at(service_record& service, time_point now, titanic_actions& out);
  void look_up_next(time_point now, titanic_actions& out);
  void give_or_read(std::uint64_t number, time_point now, titanic_actions& out);
  void give(std::uint64_t number, const zmtp::message& body, time_point now, titanic_actions& out);
  void keep_outcome(std::uint64_t number, zmtp::message&& reply, titanic_actions& out);
  void store_outcome(std::uint64_t number, titanic_actions& out);
  void leave_service(request_slot& of, time_point now, titanic_actions& out);
  void leave_place(service_record& service, time_point now, titanic_actions& out);

  const titanic_options& options_;
  request_table& requests_;
  store_tickets& store_;
  titanic_counters& counters_;
  service_table services_{options_};
  held_bodies held_{options_.held_bytes};
  unsaved_outcomes outcomes_;
  pending_order order_;
  boost::unordered_flat_map<std::uint64_t, attempt> attempts_;
  std::uint64_t last_attempt_ = 0;
  bool draining_ = false;
};

}  // namespace mdp::titanic
