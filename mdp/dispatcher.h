#pragma once
// Brings the requests of clients to the workers of their services, and the replies back. Knows
// nothing of who may say what when: that is `broker_state`.

#include "mdp/broker_actions.h"
#include "mdp/client_accounts.h"
#include "mdp/command.h"
#include "mdp/given_requests.h"
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
  // A new request; it may be refused.
  void ask(client_record& from, std::string_view name, dialect how, zmtp::message& m,
           time_point now, broker_actions& out);
  // For titanic.status, which must be served, and whose reply goes to the client as that of mmi.titanic.
  void ask_titanic(client_record& from, dialect how, zmtp::message& m, time_point now,
                   broker_actions& out);

  // It gets up to `capacity` requests at once, if its service allows more than one.
  [[nodiscard]] worker_record& add_worker(zmtp::peer_id peer, std::string_view name, dialect how,
                                          std::size_t capacity, time_point now,
                                          broker_actions& out);
  // What it held goes to the others of its service, as far as it may.
  void remove_worker(worker_record& lost, time_point now, broker_actions& out);

  // The request in this worker's hands that was given to it with this address, or null.
  [[nodiscard]] request* held_by(worker_record& w, std::string_view address) noexcept;
  // The parts of a reply, bodies alone.
  void answer_in_part(request& held, zmtp::message& body, broker_actions& out);
  void answer(request& held, zmtp::message& body, time_point now, broker_actions& out);

  // What the options say of services counts from now on, for those that are there as well. Workers that
  // are there see the addresses that they saw.
  void change_services(const broker_options& options, time_point now, broker_actions& out);

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
  void enter(client_record& from, service& to, dialect how, bool by_mmi, zmtp::message& m,
             time_point now, broker_actions& out);
  service& create(std::string_view name, time_point now, broker_actions& out);
  void serve(service& s, time_point now, broker_actions& out);
  void assign(request& r, time_point now, broker_actions& out);
  void take_back(request& held) noexcept;
  static void make_room(worker_record& w) noexcept;
  [[nodiscard]] bool gather(request& r, const zmtp::message& body, broker_actions& out);
  void drop(request& r, broker_actions& out);
  void give_up(request& held, broker_actions& out);
  void give_back(request& held, time_point now, broker_actions& out);
  void exhaust(request& r, broker_actions& out);
  void fail(request& r, request_fault why, broker_actions& out);
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
  list_of<request, &request::slice> slices_;
};

}  // namespace mdp
