#include "zmtp/socket/memory_budget.h"

#include "zmtp/socket/half_message.h"

namespace zmtp {

memory_budget process_memory_budget() { return {.half_messages = half_message::budget()}; }

void set_process_memory_budget(const memory_budget& budget) {
  half_message::set_budget(budget.half_messages);
}

memory_budget process_memory_use() { return {.half_messages = half_message::used()}; }

}  // namespace zmtp
