#pragma once
// Executors across threads: posting from any thread, and detecting use by two threads at once.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/post.hpp>

#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>
#include <utility>

namespace zmtp {

namespace asio = boost::asio;

// An executor to which any thread may post, until its owner closes it. Shared by its owner and the
// posting threads. A posted function finds its object by a weak pointer, which it locks in the
// executor. So no other thread ever keeps the object alive.
//
// Thread safety: safe.
class remote_executor {
public:
  explicit remote_executor(asio::any_io_executor executor) noexcept
      : executor_{std::move(executor)} {}

  // Returns whether this is the same executor, and is not closed.
  [[nodiscard]] bool is(const asio::any_io_executor& executor) {
    const std::lock_guard lock{mutex_};
    return executor_ && executor_ == executor;
  }

  // Returns false after close(). Then `call` does not run.
  template <class Call>
  bool post(Call&& call) {
    const std::lock_guard lock{mutex_};
    if (!executor_) {
      return false;
    }
    asio::post(executor_, std::forward<Call>(call));
    return true;
  }

  // The owner must call this, in the executor or while its context is destroyed.
  void close() noexcept {
    const std::lock_guard lock{mutex_};
    executor_ = {};
  }

private:
  std::mutex mutex_;
  asio::any_io_executor executor_;
};

// Detects, in builds with asserts, that two threads use one socket at the same time.
//
// A socket does not have a lock, because its executor must serialize all use. A scope marks a
// thread as inside. The same thread may enter again. This check does not detect two threads that
// take turns without an order from the executor. A thread sanitizer detects those, and this check
// hides nothing from it.
class serial_check {
public:
#ifdef NDEBUG
  class scope {
  public:
    explicit scope(serial_check&) noexcept {}
    ~scope() {}  // not trivial, so that a scope is never an unused variable
  };
#else
  class scope {
  public:
    explicit scope(serial_check& check) noexcept : check_{check} { check_.enter(); }
    scope(const scope&) = delete;
    scope& operator=(const scope&) = delete;
    ~scope() { check_.leave(); }

  private:
    serial_check& check_;
  };

private:
  void enter() noexcept {
    std::thread::id inside;
    const auto own = std::this_thread::get_id();
    [[maybe_unused]] const bool alone =
        inside_.compare_exchange_strong(inside, own, std::memory_order_relaxed) || inside == own;
    assert(alone && "a zmtp socket is used by two threads at once: its executor is not serial");
    ++depth_;
  }
  void leave() noexcept {
    if (--depth_ == 0) {
      inside_.store({}, std::memory_order_relaxed);
    }
  }

  std::atomic<std::thread::id> inside_{};
  int depth_ = 0;
#endif
};

}  // namespace zmtp
