#pragma once
// What is behind a blocking context: an io_context, the thread that runs it, and the lock under which both
// that thread and the users' work.

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

// Shared by the context and its sockets. Members that say so are for who holds the lock.
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
    // Under the lock.
    virtual void close() = 0;
  };

  // In a process that was forked off, nothing is destroyed: the thread is not there, and what it was
  // changing is as it was at that moment.
  [[nodiscard]] static std::shared_ptr<engine> start();
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  [[nodiscard]] monitor& lock() noexcept { return lock_; }
  [[nodiscard]] const asio::any_io_executor& executor() const noexcept { return executor_; }
  // This process is a fork of the one that the thread is in.
  [[nodiscard]] bool forked() const noexcept;

  // Under the lock.
  [[nodiscard]] bool open() const noexcept { return open_; }
  void enter(member& socket) noexcept { members_.push_back(socket); }

  // Closes all sockets, which wakes who waits for them, and waits until they have written what is queued
  // and all else in the context is done; but no longer than this. Then the thread is gone.
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
