#pragma once
// Brings the requests of clients to the workers of their services, and the replies back. Knows
// nothing of who may say what when: that is `broker_state`.

#include "mdp/broker_actions.h"
#include "mdp/client_accounts.h"
#include "mdp/command.h"
#include "mdp/given_requests.h"
#include "mdp/keyed_requests.h"
#include "mdp/options.h"
#include "mdp/pool.h"
#include "mdp/request_error.h"
#include "mdp/service_rules.h"
#include "mdp/service_table.h"
#include "mdp/worker_deadlines.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mdp {

// What 8/MMI leaves to brokers, of what Titanic (9/TSP) says of itself: the broker has it from there.
inline constexpr std::string_view mmi_titanic = "mmi.titanic";
inline constexpr std::string_view titanic_status = "titanic.status";

// References to clients and workers hold from add_… to remove_….
class dispatcher {
public:
  dispatcher(const broker_options& options, std::uint64_t instance, broker_counters& counters);

  // `routing_id`: what workers see of it, if they see anything.
  [[nodiscard]] client_record& add_client(zmtp::peer_id peer, std::string&& routing_id,
                                          bool reads_errors);
  // Its waiting requests are dropped, the replies to the others will be.
  void remove_client(client_record& gone, time_point now, broker_actions& out);
  // A new request; it may be refused. With a key that is known it is a repeat of that request.
  void ask(client_record& from, std::string_view name, dialect how,
           const std::optional<keyed_attempt>& attempt, zmtp::message& m, time_point now,
           broker_actions& out);
  // For titanic.status, which must be served, and whose reply goes to the client as that of mmi.titanic.
  void ask_titanic(client_record& from, dialect how, zmtp::message& m, time_point now,
                   broker_actions& out);

  // It gets up to `capacity` requests at once, if its service allows more than one.
  [[nodiscard]] worker_record& add_worker(zmtp::peer_id peer, std::string_view name, dialect how,
                                          std::size_t capacity, time_point now,
                                          broker_actions& out);
  // What it held goes to the others of its service, as far as it may.
  void remove_worker(worker_record& lost, time_point now, broker_actions& out);

  // The worker has said DRAIN: it gets no more requests, and keeps those that it has.
  void retire_worker(worker_record& w, time_point now, broker_actions& out);

  // The request in this worker's hands that was given to it with this address, or null.
  [[nodiscard]] request* held_by(worker_record& w, std::string_view address) noexcept;
  // The parts of a reply, bodies alone.
  void answer_in_part(request& held, zmtp::message& body, time_point now, broker_actions& out);
  void answer(request& held, zmtp::message& body, time_point now, broker_actions& out);
  // A NACK. A refusal does not count as an attempt. The request goes to another worker, until it was
  // refused as often as its service has workers.
  void refuse(request& held, time_point now, broker_actions& out);
  void fail(request& held, time_point now, broker_actions& out);

  // What the options say of services counts from now on, for those that are there as well. Workers that
  // are there see the addresses that they saw.
  void change_services(const broker_options& options, time_point now, broker_actions& out);

  // From now on no request is accepted, and those that no worker is there for end. The others are carried out.
  void drain(time_point now, broker_actions& out);
  // Ends all requests, whose clients are told.
  void give_up(time_point now, broker_actions& out);
  // Requests that clients wait for.
  [[nodiscard]] std::size_t unanswered() const noexcept { return accounts_.unanswered(); }

  [[nodiscard]] bool is_served(std::string_view name) noexcept;

  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;
  // Sends heartbeats that are due, up to the first worker that is dead: remove it and ask again.
  [[nodiscard]] worker_record* next_dead_worker(time_point now, broker_actions& out);
  void expire_requests(time_point now, broker_actions& out);
  // Neither worker nor request expires before.
  void judge_from(time_point from) noexcept { judge_from_ = from; }

  void compact();
  void describe(broker_status& s) const;
  // Up to `count` of them in the order of their names, from the first behind `after`.
  [[nodiscard]] std::vector<service_status> services(std::string_view after,
                                                     std::size_t count) const;

private:
  void pass_on_part(request& held, zmtp::message& body, broker_actions& out);
  void enter(client_record& from, service& to, dialect how, bool by_mmi,
             const std::optional<keyed_attempt>& attempt, zmtp::message& m, time_point now,
             broker_actions& out);
  void hold(request& r, zmtp::message& body, dialect how);
  void repeat(client_record& from, keyed_request& known, const keyed_attempt& attempt, dialect how,
              zmtp::message& m, time_point now, broker_actions& out);
  void take_over(request& r, client_record& from, dialect how, zmtp::message& m, time_point now,
                 broker_actions& out);
  void tell_outcome(const client_record& to, const keyed_request& ended, dialect how,
                    broker_actions& out);
  service& create(std::string_view name, time_point now, broker_actions& out);
  void serve(service& s, time_point now, broker_actions& out);
  void serve_suspects(service& s, time_point now, broker_actions& out);
  [[nodiscard]] static worker_record* worker_for(const request& r, bool at_work) noexcept;
  void decline(request& r, broker_actions& out);
  void assign(request& r, worker_record& w, time_point now, broker_actions& out);
  void take_back(request& held) noexcept;
  static void make_room(worker_record& w) noexcept;
  [[nodiscard]] bool gather(request& r, const zmtp::message& body, broker_actions& out);
  void drop(request& r, broker_actions& out);
  void give_up(request& held, broker_actions& out);
  void give_back(request& held, time_point now, broker_actions& out);
  void exhaust(request& r, broker_actions& out);
  void tell_failure(request& r, request_fault why, broker_actions& out);
  void turn_away(const client_record& from, request_fault why, dialect how, std::string_view name,
                 broker_actions& out);
  void end_unanswered(client_record& of, bool stopping, time_point now, broker_actions& out);
  void end_waiting(service& s, broker_actions& out);
  void settle(service& s, time_point now, broker_actions& out);
  void watch_expiry(service& s);
  [[nodiscard]] std::optional<time_point> expiry_of(service& s) const noexcept;
  void count(service& s, std::uint64_t request_counters::*what) noexcept {
    ++(counters_.*what);
    ++(s.counters.*what);
  }

  const broker_options options_;
  const std::uint64_t instance_;
  broker_counters& counters_;
  time_point judge_from_{};
  bool draining_ = false;

  service_rules rules_;
  pool<request> requests_;
  given_requests given_;
  pool<client_record> clients_;
  pool<worker_record> workers_;
  pool<line> lines_;
  service_table services_{lines_};
  client_accounts accounts_;
  worker_deadlines worker_deadlines_;
  deadline_heap<service> service_deadlines_;
  keyed_requests keyed_;
  list_of<request, &request::slice> slices_;
};

}  // namespace mdp
