#include "zmtp/engine/process_resources.h"

#include <pthread.h>

namespace zmtp {

const std::shared_ptr<process_resources>& process_resources::of_this_process() {
  static const auto& only = *[] {
    auto* const made = new std::shared_ptr<process_resources>{
        std::make_shared<process_resources>(memory_limits::of_process())};
    ::pthread_atfork([] { of_this_process()->queued.before_fork(); },
                     [] { of_this_process()->queued.after_fork_in_parent(); },
                     [] { of_this_process()->queued.after_fork_in_child(); });
    return made;
  }();
  return only;
}

}  // namespace zmtp
