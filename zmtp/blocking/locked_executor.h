#pragma once
// The lock of a blocking context, and the executor that runs every function under this lock.

#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>

#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>

namespace zmtp::blocking {

namespace asio = boost::asio;

// The lock of a context, shared by its thread and the user's threads. Recursive: a thread that
// holds it may take it again.
class monitor {
public:
  class scope {
  public:
    explicit scope(monitor& of) : of_{of} { of_.enter(); }
    scope(const scope&) = delete;
    scope& operator=(const scope&) = delete;
    ~scope() { of_.leave(); }

  private:
    monitor& of_;
  };

  // Sleeps until `done()` returns true. Calls `done()` under the lock. The thread must hold the
  // lock exactly once, and releases it while it sleeps.
  template <class Done>
  void wait(std::condition_variable& wake, Done&& done) {
    let_go([&](std::unique_lock<std::mutex>& held) {
      wake.wait(held, done);
      return true;
    });
  }
  // Sleeps for at most `time`. Returns done().
  template <class Done>
  [[nodiscard]] bool wait_for(std::condition_variable& wake, std::chrono::milliseconds time,
                              Done&& done) {
    return let_go(
        [&](std::unique_lock<std::mutex>& held) { return wake.wait_for(held, time, done); });
  }

private:
  template <class Wait>
  bool let_go(Wait&& wait) {
    assert(depth_ == 1 && "a blocking call within zmtp::blocking::socket::with");
    depth_ = 0;
    owner_.store({}, std::memory_order_relaxed);
    std::unique_lock<std::mutex> held{mutex_, std::adopt_lock};
    const bool done = wait(held);
    (void)held.release();
    owner_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    depth_ = 1;
    return done;
  }
  void enter() {
    // Only this thread writes its own id there.
    if (owner_.load(std::memory_order_relaxed) != std::this_thread::get_id()) {
      mutex_.lock();
      owner_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    }
    ++depth_;
  }
  void leave() noexcept {
    if (--depth_ == 0) {
      owner_.store({}, std::memory_order_relaxed);
      mutex_.unlock();
    }
  }

  std::mutex mutex_;
  std::atomic<std::thread::id> owner_{};
  int depth_ = 0;
};

// An executor that runs every function under a lock. Another thread that holds the lock may
// therefore use objects of the executor. `Inner` must run functions serially. The lock must outlive
// them.
template <class Inner>
class locked_executor {
public:
  locked_executor(Inner inner, monitor& lock) noexcept : inner_{std::move(inner)}, lock_{&lock} {}

  template <class Property>
  requires asio::can_query_v<const Inner&, Property>
  [[nodiscard]] auto query(const Property& property) const
      noexcept(asio::is_nothrow_query_v<const Inner&, Property>) -> decltype(auto) {
    return asio::query(inner_, property);
  }
  template <class Property>
  requires asio::can_require_v<const Inner&, Property>
  [[nodiscard]] auto require(const Property& property) const {
    return on(asio::require(inner_, property));
  }
  template <class Property>
  requires asio::can_prefer_v<const Inner&, Property>
  [[nodiscard]] auto prefer(const Property& property) const {
    return on(asio::prefer(inner_, property));
  }

  template <class Function>
  void execute(Function&& function) const {
    inner_.execute([lock = lock_, f = std::forward<Function>(function)]() mutable {
      const monitor::scope alone{*lock};
      // Destroy the function under the lock too, because it may own objects of the executor.
      auto own = std::move(f);
      std::move(own)();
    });
  }

  friend bool operator==(const locked_executor& a, const locked_executor& b) noexcept {
    return a.inner_ == b.inner_ && a.lock_ == b.lock_;
  }
  friend bool operator!=(const locked_executor& a, const locked_executor& b) noexcept {
    return !(a == b);
  }

private:
  template <class Other>
  [[nodiscard]] locked_executor<std::decay_t<Other>> on(Other&& other) const {
    return {std::forward<Other>(other), *lock_};
  }

  Inner inner_;
  monitor* lock_;
};

}  // namespace zmtp::blocking
