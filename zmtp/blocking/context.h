#pragma once
// For code without an event loop: a context that runs its own event loop in its own thread.

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <memory>

namespace zmtp::blocking {

class engine;

// Thread safety: any thread may use its sockets; see blocking::socket. The thread of the context
// blocks all signals. A signal does not interrupt a call.
//
// Fork: in the child, the only allowed operation is to destroy contexts and sockets, which has no
// effect. Other calls fail with errc::socket_closed. Descriptors are closed on exec.
class context {
public:
  // Starts the thread. Throws std::system_error.
  // `longest_close`: the maximum time that the destructor takes, whatever the linger times of the
  // sockets.
  explicit context(std::chrono::milliseconds longest_close = std::chrono::seconds{30});
  context(const context&) = delete;
  context& operator=(const context&) = delete;
  // Closes all sockets. Calls that wait fail with errc::socket_closed. Writes queued messages for
  // the linger time of each socket. The socket objects may be destroyed later.
  ~context();

  // For objects without a blocking form. Sockets and proxies that use this executor belong to the
  // thread of the context. A thread inside blocking::socket::with() holds the lock and may use them
  // too.
  [[nodiscard]] boost::asio::any_io_executor get_executor() const;

private:
  template <class Async>
  friend class socket;

  std::shared_ptr<engine> engine_;
  std::chrono::milliseconds longest_close_;
};

}  // namespace zmtp::blocking
