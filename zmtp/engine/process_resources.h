#pragma once
// The inproc names and the memory budgets of one process, for all its sockets.

#include "zmtp/engine/inproc_names.h"
#include "zmtp/engine/memory_limit.h"
#include "zmtp/engine/shared_ledgers.h"

#include <memory>

namespace zmtp {

// All execution contexts of a process use the same resources. Only a simulated process has its own,
// which context_service::install() gives to its context. A socket can outlive its context, so it
// owns what it uses. Thread safety: safe.
struct process_resources {
  explicit process_resources(const memory_limits& budget) noexcept
      : queued{budget.queued}, partial_messages{budget.partial_messages} {}

  // Never destroyed, because sockets with static lifetime may close after static objects are
  // destroyed.
  [[nodiscard]] static const std::shared_ptr<process_resources>& of_this_process();

  // Call around a fork. No other thread uses the resources meanwhile, so that the child gets them
  // unlocked and in a consistent state.
  void before_fork();
  void after_fork_in_parent();
  void after_fork_in_child();

  inproc_names names;
  shared_queue_ledger queued;
  shared_partial_ledger partial_messages;
};

}  // namespace zmtp
