#pragma once
// Detects, in builds with asserts, that two threads use one socket at the same time.

#include <atomic>
#include <cassert>
#include <thread>

namespace zmtp {

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
