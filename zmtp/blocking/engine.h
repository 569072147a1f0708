#pragma once
// The implementation of a blocking context: an io_context, its thread, and the lock that this
// thread and the user's threads share.

#include "zmtp/blocking/monitor.h"

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

// Shared by the context and its sockets. Some members require the lock, as stated there.
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

}  // namespace zmtp::blocking
