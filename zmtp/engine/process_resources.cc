#include "zmtp/engine/process_resources.h"

#include <pthread.h>

namespace zmtp {

const std::shared_ptr<process_resources>& process_resources::of_this_process() {
  static const auto& only = *[] {
    auto* const made = new std::shared_ptr<process_resources>{
        std::make_shared<process_resources>(memory_limits::of_process())};
    ::pthread_atfork([] { of_this_process()->before_fork(); },
                     [] { of_this_process()->after_fork_in_parent(); },
                     [] { of_this_process()->after_fork_in_child(); });
    return made;
  }();
  return only;
}

// No other code holds two of the locks, so any fixed order is free of deadlocks.
void process_resources::before_fork() {
  names.before_fork();
  queued.before_fork();
  partial_messages.before_fork();
}

void process_resources::after_fork_in_parent() {
  partial_messages.after_fork();
  queued.after_fork_in_parent();
  names.after_fork();
}

void process_resources::after_fork_in_child() {
  partial_messages.after_fork();
  queued.after_fork_in_child();
  names.after_fork();
}

}  // namespace zmtp
