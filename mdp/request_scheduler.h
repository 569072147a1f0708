#pragma once
// The services, and the requests that are pending at each. Assigns them to workers, and ends those that expire or
// that no worker will take. Pure.

#include "mdp/accepted_requests.h"
#include "mdp/broker_actions.h"
#include "mdp/broker_records.h"
#include "mdp/options.h"
#include "mdp/pool.h"
#include "mdp/service_deadlines.h"
#include "mdp/service_rules.h"
#include "mdp/service_table.h"
#include "mdp/worker_choice.h"
#include "mdp/worker_table.h"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace mdp {

class request_scheduler {
public:
  // All but the options must outlive the scheduler.
  request_scheduler(const broker_options& options, const zmtp::liveness& liveness,
                    accepted_requests& requests, worker_table& workers);

  // Null if there is no service of this name.
  [[nodiscard]] service* find(std::string_view name) noexcept { return services_.find(name); }
  // Adds a service, which no rule names, and reports it. There must be no service of this name.
  service& create(std::string_view name, time_point now, broker_actions& out);
  // Whether there are as many services without a worker as the options allow.
  [[nodiscard]] bool full() const noexcept {
    return services_.without_worker() >= unknown_services_;
  }

  // Assigns a new request, or adds it to the queue of its service.
  void schedule(request& r, time_point now, broker_actions& out);
  // Queues a request that a worker has returned, in front of new requests. Call serve() or settle() afterwards.
  void requeue(request& r, time_point now);

  void add_worker(worker_record& w, time_point now, broker_actions& out);
  // The worker gets no more requests.
  void retire_worker(worker_record& w, time_point now, broker_actions& out);
  // The worker is lost. Call settle() when the requests that it held are queued again or have ended.
  void remove_worker(worker_record& lost, time_point now) noexcept;

  // Assigns pending requests of the service while it has workers for them.
  void serve(service& s, time_point now, broker_actions& out);
  // Does what follows when a service has got or lost a worker, or has lost a pending request. May destroy the
  // service.
  void settle(service& s, time_point now, broker_actions& out);

  // From now on, requests that are pending at a service without a worker end.
  void drain(time_point now, broker_actions& out);
  [[nodiscard]] bool draining() const noexcept { return draining_; }

  void change_services(const broker_options& options, time_point now, broker_actions& out);

  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept {
    return deadlines_.next();
  }
  void expire(time_point now, broker_actions& out);

  void describe(broker_status& s) const;
  // Returns up to `count` services in the order of their names, from the first name after `after`.
  [[nodiscard]] std::vector<service_status> services(std::string_view after,
                                                     std::size_t count) const;

private:
  void carry_out(const choice& made, time_point now, broker_actions& out);
  void end_pending(service& s, broker_actions& out);

  const std::size_t unknown_services_;
  accepted_requests& requests_;
  worker_table& workers_;
  bool draining_ = false;
  service_rules rules_;
  pool<line> lines_;
  service_table services_{lines_};
  service_deadlines deadlines_;
};

}  // namespace mdp
