#pragma once
// The names of inproc:// in this process: who is bound to them, and who waits for somebody to be.

#include "zmtp/error.h"
#include "zmtp/socket/remote_executor.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace zmtp {

class inproc_channel;
class inproc_listener;

// Where a listener can be called.
struct inproc_door {
  std::shared_ptr<remote_executor> where;
  std::weak_ptr<inproc_listener> who;  // locked in `where`
};

// Thread safety: safe.
class inproc_registry {
public:
  // The one of this process. Never destroyed: sockets with static lifetime may be closed after any static
  // object is gone.
  [[nodiscard]] static inproc_registry& of_process();

  // Errors: address_in_use.
  [[nodiscard]] error_code bind(const std::string& name, inproc_door door);
  void unbind(const std::string& name) noexcept;

  // The door of that name. If nobody is bound, nothing, and `when_bound` is called as soon as somebody
  // is, once, in whatever thread: it should only post.
  [[nodiscard]] std::optional<inproc_door> find(const std::string& name, const void* caller,
                                                std::function<void()> when_bound);
  // The caller waits no longer.
  void leave(const std::string& name, const void* caller) noexcept;

private:
  struct waiting_caller {
    const void* who;
    std::function<void()> when_bound;
  };

  std::mutex mutex_;
  std::map<std::string, inproc_door> doors_;
  std::multimap<std::string, waiting_caller> waiting_;
};

}  // namespace zmtp
