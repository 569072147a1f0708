#pragma once
// The lock of a blocking context, shared by its thread and the user's threads.

#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace zmtp::blocking {

// Recursive: a thread that holds it may take it again.
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

}  // namespace zmtp::blocking
