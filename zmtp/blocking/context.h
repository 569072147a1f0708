#pragma once
// For code that runs no event loop: a context has one of its own, in a thread of its own.

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <memory>

namespace zmtp::blocking {

class engine;

// Thread safety: its sockets may be used in any thread; see blocking::socket. Signals are not delivered to
// the context's thread, and no call ends early because its thread was interrupted by one.
//
// After a fork the child can destroy contexts and sockets, which does nothing, and nothing else: calls fail
// with errc::socket_closed. Descriptors are closed on exec.
class context {
public:
  // Starts the thread. Throws std::system_error.
  // `longest_close`: no destructor takes longer, however long its sockets are to linger.
  explicit context(std::chrono::milliseconds longest_close = std::chrono::seconds{30});
  context(const context&) = delete;
  context& operator=(const context&) = delete;
  // Closes all sockets: who waits for one is told errc::socket_closed, and what is queued is written as long
  // as each socket lingers. Sockets may be destroyed later.
  ~context();

  // For what has no blocking form: sockets and proxies made with it belong to the context's thread. Who
  // holds the lock, in blocking::socket::with, may use them too.
  [[nodiscard]] boost::asio::any_io_executor get_executor() const;

private:
  template <class Async>
  friend class socket;

  std::shared_ptr<engine> engine_;
  std::chrono::milliseconds longest_close_;
};

}  // namespace zmtp::blocking
