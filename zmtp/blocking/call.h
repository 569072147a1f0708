#pragma once
// A pending operation of a socket for which a thread sleeps.

#include "zmtp/blocking/monitor.h"
#include "zmtp/error.h"

#include <condition_variable>
#include <cstddef>
#include <tuple>
#include <utility>

namespace zmtp::blocking {

// Must live until its handler has run, under the lock.
template <class... Results>
class call {
public:
  call() = default;
  call(const call&) = delete;
  call& operator=(const call&) = delete;

  // The handler for the operation. Call once.
  [[nodiscard]] auto handler() noexcept {
    return [this](error_code ec, Results... results) {
      ec_ = ec;
      results_ = std::tuple<Results...>{std::move(results)...};
      over_ = true;
      wake_.notify_one();
    };
  }
  // Sleeps until the handler has run. The thread must hold the lock exactly once.
  [[nodiscard]] error_code wait(monitor& lock) {
    lock.wait(wake_, [this] { return over_; });
    return ec_;
  }
  template <std::size_t I = 0>
  [[nodiscard]] auto& result() noexcept {
    return std::get<I>(results_);
  }

private:
  std::condition_variable wake_;
  bool over_ = false;
  error_code ec_;
  std::tuple<Results...> results_;
};

}  // namespace zmtp::blocking
