#pragma once
// A runtime whose clocks show a fixed time until the test moves them, and whose random numbers come
// from a seed.

#include "zmtp/runtime/runtime.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <utility>

namespace zmtp::test {

// Timers that are due complete in the order of their times, and of their waits if the times are
// equal. A pending wait keeps the context running, as a wait of Asio's timers does.
//
// Thread safety: not safe. Use it for contexts that the thread of the test runs.
class manual_runtime final : public runtime {
public:
  // Makes a runtime and installs it.
  static manual_runtime& install_in(boost::asio::execution_context& context);

  // Moves both clocks forward and posts the handlers that are due.
  void advance_to(time_point time);
  void advance(time_point::duration by) { advance_to(now_ + by); }
  // Moves both clocks forward and runs the context. Every timer that is due on the way expires at its
  // own time.
  void pass(time_point::duration time, boost::asio::io_context& context);
  // Returns the earliest time for which a timer waits.
  [[nodiscard]] std::optional<time_point> next() const noexcept;

  [[nodiscard]] time_point now() const noexcept override { return now_; }
  [[nodiscard]] wall_time wall_clock() const noexcept override;
  void random(std::span<std::byte> to) override;
  [[nodiscard]] std::unique_ptr<timer_source> make_timer(
      const boost::asio::any_io_executor& executor) override;
  void shutdown() noexcept override;

private:
  class manual_timer;
  struct pending {
    timer_source::handler handler;
    boost::asio::any_io_executor executor;  // with outstanding work
  };
  using key = std::pair<time_point, std::uint64_t>;  // the time, and the number of the wait

  void complete(key which, boost::system::error_code ec);

  // Not zero, which is an absent time in some states.
  time_point now_{std::chrono::hours{1}};
  std::mt19937_64 source_;
  std::uint64_t waits_ = 0;
  std::map<key, pending> pending_;
};

}  // namespace zmtp::test
