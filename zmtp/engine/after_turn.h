#pragma once
// Calls that run in this thread directly after the current turn. Sockets with the same executor
// notify each other this way, without its queue.

#include "zmtp/runtime/executor.h"

#include <memory>

namespace zmtp {

class inproc_link;

namespace after_turn {

// A call to a link of this executor that has mail.
struct call {
  std::shared_ptr<remote_executor> where;
  std::weak_ptr<inproc_link> who;
  bool near = false;  // the caller is in the same executor

  // Posts the call to its executor. Any thread may do this.
  void post();
};

// Encloses a turn. Nested turns share the scope of the outermost one.
class scope {
public:
  scope() noexcept;
  scope(const scope&) = delete;
  scope& operator=(const scope&) = delete;
  ~scope();

  // In the outermost scope, makes the pending calls and the calls that they cause. After a limited
  // number of rounds, posts the rest, so that others on the executor can run.
  void run();
};

// Returns false outside a turn, and then does not take the call.
[[nodiscard]] bool add(call& what);

}  // namespace after_turn

}  // namespace zmtp
