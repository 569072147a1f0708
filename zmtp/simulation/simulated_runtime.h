#pragma once
// The clock, random numbers and timers of a simulated process.

#include "zmtp/runtime/runtime.h"
#include "zmtp/simulation/clock_rate.h"
#include "zmtp/simulation/run_state.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/intrusive/list.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>

namespace zmtp::simulation {

class simulated_timer;
using timer_hook =
    boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

// Time is that of the host's clock. A look at the clock takes some microseconds, so a program that
// measures its own turns finds short and long ones.
class simulated_runtime final : public runtime {
public:
  simulated_runtime(run_state& state, clock_rate rate) noexcept : state_{&state}, rate_{rate} {}

  [[nodiscard]] time_point now() const noexcept override {
    if (state_->random.chance(clock_moves)) {
      state_->events.advance(state_->random.up_to(clock_moves_by));
    }
    return rate_.shown_at(state_->events.now());
  }
  // Starts at 2026-01-01.
  [[nodiscard]] wall_time wall_clock() const noexcept override;
  // From the seed of the simulation.
  void random(std::span<std::byte> to) override;
  [[nodiscard]] std::unique_ptr<timer_source> make_timer(
      const boost::asio::any_io_executor& executor) override;
  void shutdown() noexcept override;

private:
  friend class simulated_timer;

  // Percentage of clock reads that first advance the clock, by up to `clock_moves_by`.
  static constexpr unsigned clock_moves = 25;
  static constexpr std::chrono::microseconds clock_moves_by{5};

  run_state* state_;
  clock_rate rate_;
  // Timers, whose type is incomplete here.
  boost::intrusive::list<timer_hook, boost::intrusive::constant_time_size<false>> timers_;
};

}  // namespace zmtp::simulation
