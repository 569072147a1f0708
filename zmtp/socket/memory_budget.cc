#include "zmtp/socket/memory_budget.h"

#include "zmtp/engine/process_resources.h"

#include <mutex>

namespace zmtp {

memory_budget process_memory_budget() {
  const auto& process = *process_resources::of_this_process();
  const std::lock_guard lock{process.partial_messages.mutex};
  return {.queued = process.queued.budget(),
          .partial_messages = process.partial_messages.ledger.budget()};
}

void set_process_memory_budget(const memory_budget& budget) {
  auto& process = *process_resources::of_this_process();
  process.queued.set_budget(budget.queued);
  const std::lock_guard lock{process.partial_messages.mutex};
  process.partial_messages.ledger.set_budget(budget.partial_messages);
}

memory_use process_memory_use() {
  const auto& process = *process_resources::of_this_process();
  const std::lock_guard lock{process.partial_messages.mutex};
  return {.queued = process.queued.used(),
          .partial_messages = process.partial_messages.ledger.used(),
          .times_scarce = process.queued.times_scarce()};
}

}  // namespace zmtp
