#include "zmtp/socket/memory_budget.h"

#include "zmtp/engine/memory_share.h"

namespace zmtp {

memory_budget process_memory_budget() {
  return {.queued = memory_share::budget(), .partial_messages = partial_message::budget()};
}

void set_process_memory_budget(const memory_budget& budget) {
  memory_share::set_budget(budget.queued);
  partial_message::set_budget(budget.partial_messages);
}

memory_use process_memory_use() {
  return {.queued = memory_share::used(),
          .partial_messages = partial_message::used(),
          .times_scarce = memory_share::times_scarce()};
}

}  // namespace zmtp
