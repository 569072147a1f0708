#pragma once
// The workers of the broker, and the requests that each of them holds. Pure.

#include "mdp/broker_actions.h"
#include "mdp/broker_records.h"
#include "mdp/command.h"
#include "mdp/given_requests.h"
#include "mdp/pool.h"
#include "mdp/service_rules.h"
#include "mdp/service_table.h"
#include "mdp/worker_deadlines.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mdp {

class worker_table {
public:
  // `liveness` must outlive the table.
  worker_table(const zmtp::liveness& liveness, std::uint64_t instance) noexcept
      : instance_{instance}, deadlines_{liveness} {}

  // A reference to a worker is valid until remove(). The new worker is not available yet (see worker_choice).
  [[nodiscard]] worker_record& add(zmtp::peer_id peer, service& serves, dialect how,
                                   std::size_t capacity, time_point now);
  // The worker must not hold a request.
  void remove(worker_record& gone) noexcept;
  // Applies new rules. Workers continue to see the kind of client address that they saw before.
  void apply(const service_rules& rules);

  // Gives a request to a worker. Its address frame has a mark of this attempt.
  void assign(request& r, worker_record& w, time_point now, broker_actions& out);
  // Takes a request from the worker that holds it.
  void take_back(request& held) noexcept;
  // Returns the request that this worker got with this address, and still holds. Null if there is none.
  [[nodiscard]] request* held_by(worker_record& w, std::string_view address) noexcept;

  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept {
    return deadlines_.next();
  }
  // Sends heartbeats that are due. Returns the first worker that is dead, or null. The caller must remove the worker
  // and call again.
  [[nodiscard]] worker_record* next_dead(time_point now, broker_actions& out);

  [[nodiscard]] std::size_t size() const noexcept { return workers_.size(); }
  // Requests that workers hold.
  [[nodiscard]] std::size_t held() const noexcept { return given_.size(); }

private:
  const std::uint64_t instance_;
  pool<worker_record> workers_;
  given_requests given_;
  worker_deadlines deadlines_;
};

}  // namespace mdp
