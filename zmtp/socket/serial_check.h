#pragma once
// Finds out, in builds with asserts, that two threads are in one socket at the same time.

#include <atomic>
#include <cassert>
#include <thread>

namespace zmtp {

// A socket has no lock: its executor sees to it that one thread after the other uses it. A scope is
// where a thread is inside; it may come in again while it is. Two threads that take turns without
// being ordered by the executor are not seen, unless they meet: that is for a thread sanitizer, from
// which this hides nothing.
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
