#pragma once
// Chooses a worker for each pending request of a service. Pure.
//
// A service has two lists of workers that can take a request: idle workers, and busy workers below their capacity.
// A suspect (see request_queue) may end its worker, so it goes to an idle worker and stays alone there. If no worker
// is idle, one worker is reserved: the worker gets no more requests until it is idle.

#include "mdp/broker_records.h"
#include "mdp/service_table.h"

#include <cstdint>

namespace mdp {

// Lists a worker that is new, or that has ended a request. A worker that is leaving is not listed.
void make_available(worker_record& w) noexcept;
// Takes a worker that is leaving or lost out of the lists.
void make_unavailable(worker_record& w) noexcept;
// Lists a worker that has just got a request as its capacity allows. A worker with a suspect gets no other request.
void on_assigned(worker_record& w, bool suspect) noexcept;

// Returns the next worker for this request: an idle worker, or else a busy worker below its capacity. Passes over the
// worker that has just refused the request. Null if there is no other worker.
[[nodiscard]] worker_record* worker_for(const request& r) noexcept;

struct choice {
  enum class action : std::uint8_t {
    wait,     // no request can leave the queue
    assign,   // to `worker`
    decline,  // the only worker has refused the request
    exhaust,  // the request has had all its attempts
  };
  action is = action::wait;
  request* taken = nullptr;         // out of the queue; null if the action is wait
  worker_record* worker = nullptr;  // for assign only
};
// Takes the next suspect out of the queue of the service.
[[nodiscard]] choice take_suspect(service& s) noexcept;
// Reserves a worker while suspects wait, and frees the reserved worker afterwards.
void reserve_worker(service& s) noexcept;
// Takes the next request that is not a suspect out of the queue of the service.
[[nodiscard]] choice take_request(service& s) noexcept;

}  // namespace mdp
