#pragma once
// The clocks, random numbers and timers of an execution context: the operating system's, or a
// simulation's.

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <memory>
#include <span>

namespace zmtp {

// The timers of a runtime derive from this class. Handlers run in the executor that the timer was made
// with, and never inside a call of the timer. Destroying a timer cancels it. A new timer does not
// expire.
class timer_source {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using handler = boost::asio::any_completion_handler<void(boost::system::error_code)>;

  timer_source() = default;
  timer_source(const timer_source&) = delete;
  timer_source& operator=(const timer_source&) = delete;
  virtual ~timer_source() = default;

  // Cancels pending waits and sets the time for later ones.
  virtual void expires_at(time_point at) = 0;
  // Completes without an error when the time has come.
  virtual void wait(handler h) = 0;
  // Completes pending waits with operation_aborted.
  virtual void cancel() = 0;
};

// A runtime belongs to an execution context, and all users of the context find it through their
// executors. Programs that do not install a runtime use the operating system's.
//
// Thread safety: safe. Distinct timers are safe, one timer is not.
class runtime {
public:
  using time_point = std::chrono::steady_clock::time_point;
  using wall_time = std::chrono::system_clock::time_point;

  runtime() = default;
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;
  virtual ~runtime() = default;

  [[nodiscard]] virtual time_point now() const noexcept = 0;
  [[nodiscard]] virtual wall_time wall_clock() const noexcept = 0;
  // Fills `to` with bytes that no other process can predict: for seeds, ids and keys.
  virtual void random(std::span<std::byte> to) = 0;
  [[nodiscard]] virtual std::unique_ptr<timer_source> make_timer(
      const boost::asio::any_io_executor& executor) = 0;
  // Called when the context is destroyed. Destroys the handlers of pending waits, because they may
  // own their timers.
  virtual void shutdown() noexcept = 0;

  template <std::unsigned_integral Number>
  [[nodiscard]] Number random() {
    Number number{};
    random(std::as_writable_bytes(std::span{&number, 1}));
    return number;
  }

  // Returns the runtime of the executor's context. Takes a lock, so call this once per object and
  // keep the reference. The reference is valid until the context is destroyed.
  [[nodiscard]] static runtime& of(const boost::asio::any_io_executor& executor);
  // Call before the first use of the context. Later, throws boost::asio::service_already_exists.
  static void install(boost::asio::execution_context& context, std::unique_ptr<runtime> what);
  // The operating system's.
  [[nodiscard]] static runtime& system() noexcept;
};

}  // namespace zmtp
