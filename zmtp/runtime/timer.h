#pragma once
// Timers, and the deadlines of operations.

#include "zmtp/runtime/reserved_memory.h"
#include "zmtp/runtime/runtime.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

namespace zmtp {

// A timer of the executor's runtime. Does not expire before a time is set, and can so be used as a
// condition, which cancel() signals. Must be destroyed before the context.
//
// Thread safety: distinct objects safe, one object not.
class timer {
public:
  using time_point = runtime::time_point;
  using duration = time_point::duration;

  explicit timer(const boost::asio::any_io_executor& executor)
      : runtime_{&runtime::of(executor)}, source_{runtime_->make_timer(executor)} {}

  // Both cancel pending waits.
  void expires_at(time_point at) { source_->expires_at(at); }
  void expires_after(duration from_now) { source_->expires_at(runtime_->now() + from_now); }
  // Completes pending waits with operation_aborted.
  void cancel() { source_->cancel(); }

  // Waits for the time that was set last. Completes in the timer's executor, never inside this
  // function.
  //
  // Lifetime: destroying the timer completes the operation with operation_aborted.
  // Errors: operation_aborted.
  // Cancellation: terminal, partial, total.
  template <boost::asio::completion_token_for<void(boost::system::error_code)> Token>
  auto async_wait(Token&& token) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code)>(
        [](auto&& handler, timer_source* on) {
          on->wait(timer_source::handler{std::forward<decltype(handler)>(handler)});
        },
        token, source_.get());
  }

private:
  runtime* runtime_;
  std::unique_ptr<timer_source> source_;
};

// Calls a function at the last deadline that was set, or earlier if an earlier one was set before.
// A state that is called too early returns its deadline again. So a deadline that moves with every
// message costs nothing.
class alarm {
public:
  using time_point = timer::time_point;

  // Destroying the alarm prevents further calls of `on_time`.
  alarm(const boost::asio::any_io_executor& executor, std::function<void()> on_time)
      : timer_{std::in_place, executor}, on_time_{std::move(on_time)} {}

  // Throws std::bad_alloc if the context has no memory for a timer more. Then the alarm is not set.
  void set(std::optional<time_point> at);
  // Prevents calls of `on_time` until the next set().
  void cancel() noexcept;
  // Call when the context is destroyed, if the alarm outlives it.
  void abandon() noexcept { timer_.reset(); }

private:
  void wait();
  void on_wait(boost::system::error_code ec);

  std::optional<timer> timer_;
  std::function<void()> on_time_;
  std::optional<time_point> due_;
  int waits_ = 0;  // waits with a pending handler; only the last one is not cancelled
  reserved_memory for_wait_;
  // for a wait whose handler is already posted
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

// The deadline argument of operations: a point in time, a duration from the start of the operation,
// or no deadline.
class deadline {
public:
  using clock = std::chrono::steady_clock;

  // No deadline.
  deadline() noexcept = default;
  deadline(clock::time_point at) noexcept : end_{at} {}  // NOLINT: implicit, so that it converts
  deadline(const std::optional<clock::time_point>& at) noexcept {  // NOLINT: as above
    if (at) {
      end_ = *at;
    }
  }
  template <class Rep, class Period>
  deadline(std::chrono::duration<Rep, Period> from_start) {  // NOLINT: as above
    const std::chrono::duration<double> seconds{from_start};
    if (seconds < never) {
      end_ = seconds.count() > 0 ? std::chrono::duration_cast<clock::duration>(from_start)
                                 : clock::duration::zero();
    }
  }

  // Call once, when the operation starts.
  [[nodiscard]] std::optional<clock::time_point> at(const runtime& of) const {
    if (std::holds_alternative<std::monostate>(end_)) {
      return std::nullopt;
    }
    return end(of);
  }

private:
  [[nodiscard]] clock::time_point end(const runtime& of) const;

  // A longer duration would overflow the clock.
  static constexpr std::chrono::hours never{24 * 365 * 100};

  std::variant<std::monostate, clock::time_point, clock::duration> end_;
};

}  // namespace zmtp
