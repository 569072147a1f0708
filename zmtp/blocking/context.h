#pragma once
// The context of the blocking sockets, for code without an event loop. The context runs an event
// loop in a thread of its own.

#include "zmtp/blocking/locked_executor.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/intrusive/list.hpp>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <thread>

namespace zmtp::blocking {

namespace asio = boost::asio;

// The implementation of a context: an io_context, its thread, and the lock that this thread and the
// user's threads share. The context and its sockets share the engine. Some members require the
// lock, as stated there.
class engine {
public:
  // A socket of the context.
  class member : public boost::intrusive::list_base_hook<
                     boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
  public:
    member() = default;
    member(const member&) = delete;
    member& operator=(const member&) = delete;
    virtual ~member() = default;
    // Requires the lock.
    virtual void close() = 0;
  };

  // In the child of a fork, the deleter does nothing, because the thread does not exist there and
  // its data may be inconsistent.
  [[nodiscard]] static std::shared_ptr<engine> start();
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  [[nodiscard]] monitor& lock() noexcept { return lock_; }
  [[nodiscard]] const asio::any_io_executor& executor() const noexcept { return executor_; }
  // Returns whether this process is a fork of the process with the thread.
  [[nodiscard]] bool forked() const noexcept;

  // Requires the lock.
  [[nodiscard]] bool open() const noexcept { return open_; }
  void enter(member& socket) noexcept { members_.push_back(socket); }

  // Closes all sockets, which ends all waiting calls. Waits until the queued messages are written
  // and all other work of the context is done, for at most `limit`. Then joins the thread.
  void shut_down(std::chrono::milliseconds limit);

private:
  engine();
  ~engine() = default;
  void run() noexcept;

  const unsigned forks_;
  monitor lock_;
  asio::io_context context_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  asio::any_io_executor executor_;
  bool open_ = true;
  bool members_told_ = false;
  bool over_ = false;
  std::condition_variable changed_;
  boost::intrusive::list<member, boost::intrusive::constant_time_size<false>> members_;
  std::thread thread_;
};

// A context that runs an event loop in a thread of its own.
//
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
