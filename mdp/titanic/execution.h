#pragma once
// What becomes of requests that Titanic has accepted: each waits for its service, is given to it, and has an
// outcome, which is stored. Pure.

#include "mdp/titanic/gathered_reply.h"
#include "mdp/titanic/held_bodies.h"
#include "mdp/titanic/kept_outcomes.h"
#include "mdp/titanic/options.h"
#include "mdp/titanic/request_store.h"
#include "mdp/titanic/request_table.h"
#include "mdp/titanic/service_table.h"
#include "mdp/titanic/store_tickets.h"
#include "mdp/titanic/titanic_actions.h"
#include "mdp/titanic/titanic_status.h"
#include "zmtp/message.h"

#include <boost/system/error_code.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace mdp::titanic {

// Whether a service is there is asked of the broker (mmi.service) before anything is given to it, so that
// a request waits for its service without using up its attempts. A request is with one worker at a time
// and its dispatch ends before the next begins: there is one reply at most, and it is the outcome. It keeps
// its place among those of its service until that is stored, so that a crash makes no more requests run again
// than a service has at once.
//
// When the store has failed, nothing is dispatched any more. Requests go by the numbers of their slots.
class execution {
public:
  using time_point = std::chrono::steady_clock::time_point;

  // All of them are the owner's, and outlive this; so must the options, which are workable.
  execution(const titanic_options& options, request_table& requests, store_tickets& store,
            titanic_counters& counters)
      : options_{options}, requests_{requests}, store_{store}, counters_{counters} {}
  execution(const execution&) = delete;
  execution& operator=(const execution&) = delete;

  // Those without an outcome, of what the table has recovered.
  void recover(const std::vector<kept_request>& slots, time_point now, titanic_actions& out);
  // A request for this service has come, and is being stored: begin() or forget() is to follow.
  [[nodiscard]] service_record& add(std::string_view service);
  // Its body is at hand, and need perhaps not be read.
  void hold(std::uint64_t number, const zmtp::message& body) { held_.hold(number, body); }
  // It is stored: from here on its service is to be given it.
  void begin(std::uint64_t number, time_point now, titanic_actions& out);
  // It is not stored, or is to be closed, whether it has an outcome or not: from here on its phase is
  // `closing`.
  void forget(std::uint64_t number, time_point now, titanic_actions& out);

  // The store is readable again.
  void on_readable(time_point now, titanic_actions& out);
  // Results of the store.
  void on_request_read(const store_tickets::ticket& about, store_result&& result, time_point now,
                       titanic_actions& out);
  void on_outcome_stored(const store_tickets::ticket& about, boost::system::error_code ec,
                         time_point now, titanic_actions& out);

  // Titanic gives no more requests to services. Requests that a service already has get their outcome.
  void drain() noexcept { draining_ = true; }

  // As titanic_state has them.
  void on_dispatch_part(std::uint64_t id, const zmtp::message& part);
  void on_dispatch_end(std::uint64_t id, boost::system::error_code ec, zmtp::message&& reply,
                       time_point now, titanic_actions& out);
  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  void on_deadline(time_point now, titanic_actions& out);

  [[nodiscard]] const service_table& services() const noexcept { return services_; }

private:
  struct attempt {
    service_record* service;
    std::uint64_t number;  // 0: asks whether the service is there
    std::uint64_t accepted;
    time_point begun;
    gathered_reply parts{};
  };

  void wait_in(service_record& service, std::uint64_t number, bool first);
  [[nodiscard]] bool next_waiting(service_record& service);
  // Returns whether the service can get its next request now. The request must not be read if the store is not
  // readable.
  [[nodiscard]] bool may_give(service_record& service);
  // Gives it what it can take, asks whether it is there, or notes when to look again.
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
  held_bodies held_{options_.held_octets};
  kept_outcomes outcomes_;
  boost::unordered_flat_map<std::uint64_t, attempt> attempts_;
  std::uint64_t last_attempt_ = 0;
  bool draining_ = false;
};

}  // namespace mdp::titanic
