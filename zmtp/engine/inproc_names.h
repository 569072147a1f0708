#pragma once
// The inproc:// names of a process, the sockets that are bound to them, and the sockets that
// wait for a name.

#include "zmtp/endpoint.h"
#include "zmtp/engine/endpoints.h"
#include "zmtp/engine/socket_core.h"
#include "zmtp/error.h"
#include "zmtp/runtime/executor.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace zmtp {

class inproc_channel;
class inproc_names;

// A socket that is bound to a name. Accepts connections from this executor and other ones.
class inproc_listener final : public binding, public std::enable_shared_from_this<inproc_listener> {
public:
  explicit inproc_listener(socket_core& core);

  // The core must outlive the listener or call close(). Errors: address_in_use.
  [[nodiscard]] error_code open(const endpoint& at);
  void close() noexcept override;

  // Call when a socket has connected and waits at the other end.
  void on_call(std::shared_ptr<inproc_channel> channel);

private:
  socket_core* core_;  // null after close()
  std::shared_ptr<remote_executor> where_;
  std::shared_ptr<inproc_names> names_;  // null before open()
  asio::any_io_executor work_;  // outstanding work: a bound socket keeps its context running
};

// How to call a listener.
struct inproc_door {
  std::shared_ptr<remote_executor> where;
  std::weak_ptr<inproc_listener> who;  // locked only in `where`
};

// The names and the waiting sockets. Thread safety: safe.
class inproc_names {
public:
  // Errors: address_in_use.
  [[nodiscard]] error_code bind(const std::string& name, inproc_door door);
  void unbind(const std::string& name) noexcept;

  // Returns the listener with this name. If there is none, `when_bound` is called once when there
  // is. It can run in any thread, so it should only post.
  [[nodiscard]] std::optional<inproc_door> find(const std::string& name, const void* caller,
                                                std::function<void()> when_bound);
  // Call when the caller no longer waits.
  void leave(const std::string& name, const void* caller) noexcept;

  // Call around a fork, in the parent and in the child.
  void before_fork() { mutex_.lock(); }
  void after_fork() { mutex_.unlock(); }

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
