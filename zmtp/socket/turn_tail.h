#pragma once
// What is to be done in this thread as soon as the turn that runs is over: sockets that share an executor
// wake one another so, without a way through its queue.

#include "zmtp/socket/remote_executor.h"

#include <memory>

namespace zmtp {

class inproc_link;

namespace turn_tail {

// A socket of this executor has mail.
struct call {
  std::shared_ptr<remote_executor> where;
  std::weak_ptr<inproc_link> who;
  bool near = false;  // who calls is in that executor

  // In its executor, from whatever thread.
  void post();
};

// Around a turn; turns within one another have one tail, that of the outermost.
class scope {
public:
  scope() noexcept;
  scope(const scope&) = delete;
  scope& operator=(const scope&) = delete;
  ~scope();

  // Makes the calls, and those that they lead to, if this is the outermost; what goes on for too long is
  // posted, so that others on the executor have their turn.
  void run();
};

// False outside of a turn; then the call is not taken.
[[nodiscard]] bool add(call& what);

}  // namespace turn_tail

}  // namespace zmtp
