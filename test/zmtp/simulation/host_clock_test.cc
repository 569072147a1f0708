// The clock of each host of a simulation runs at its own rate.
#include "zmtp/runtime/runtime.h"
#include "zmtp/runtime/timer.h"
#include "zmtp/simulation/clock_rate.h"
#include "zmtp/simulation/world.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <chrono>

namespace zmtp::simulation {
namespace {

using namespace std::chrono_literals;
using boost::asio::awaitable;
using boost::asio::use_awaitable;
using time_point = clock_rate::time_point;

TEST(clock_rates, no_timer_is_early) {
  for (unsigned percent = 1; percent <= 250; ++percent) {
    const clock_rate rate{percent};
    for (auto shown = time_point{} + 1h; shown < time_point{} + 1h + 500ns; shown += 1ns) {
      const auto at = rate.reaches(shown);
      EXPECT_GE(rate.shown_at(at), shown);
      EXPECT_LT(rate.shown_at(at - 1ns), shown);
    }
  }
}

TEST(clock_rates, have_a_first_and_a_last_time) {
  for (const unsigned percent : {50U, 100U, 200U}) {
    EXPECT_EQ(clock_rate{percent}.reaches(time_point::min()), time_point{});
  }
  for (const unsigned percent : {50U, 99U, 100U}) {
    EXPECT_EQ(clock_rate{percent}.reaches(time_point::max()), time_point::max());
  }
  EXPECT_EQ(clock_rate{200}.shown_at(time_point::max()), time_point::max());
  EXPECT_EQ(clock_rate{}.shown_at(time_point{} + 7ns), time_point{} + 7ns);
}

struct clocks_of_a_world : testing::Test {
  // Runs a program that waits for a time. Returns the simulation's time that has passed.
  world::duration time_of(std::chrono::seconds wait) {
    bool over = false;
    const auto wait_for = [&]() -> awaitable<void> {
      const auto executor = co_await boost::asio::this_coro::executor;
      auto& own = runtime::of(executor);
      const auto began = own.now();
      const auto day = own.wall_clock();
      timer pause{executor};
      pause.expires_after(wait);
      co_await pause.async_wait(use_awaitable);
      shown = own.now() - began;
      shown_day = own.wall_clock() - day;
      over = true;
    };
    const auto began = w.now();
    host.run([&] { return wait_for(); });
    EXPECT_TRUE(w.run_until([&] { return over; }, 1h));
    host.kill(death::process);
    return w.now() - began;
  }

  world w{1};
  process& host = w.add("host");
  world::duration shown{};
  std::chrono::system_clock::duration shown_day{};
};

// A handler and a look at the clock take some microseconds.
void expect_near(world::duration is, world::duration expected) {
  EXPECT_GE(is, expected);
  EXPECT_LT(is, expected + 1ms);
}

TEST_F(clocks_of_a_world, run_at_the_rate_of_the_simulation_at_first) {
  expect_near(time_of(100s), 100s);
  expect_near(shown, 100s);
}

TEST_F(clocks_of_a_world, run_at_their_own_rate_from_the_next_start_on) {
  host.set_clock(clock_rate{125});
  expect_near(time_of(100s), 80s);
  expect_near(shown, 100s);
  expect_near(shown_day, 100s);
  host.set_clock(clock_rate{80});
  expect_near(time_of(100s), 125s);
  expect_near(shown, 100s);
}

TEST_F(clocks_of_a_world, leave_the_clocks_of_other_hosts_alone) {
  w.add("other").set_clock(clock_rate{50});
  expect_near(time_of(100s), 100s);
}

TEST_F(clocks_of_a_world, do_not_end_a_timer_without_a_time) {
  host.set_clock(clock_rate{200});
  bool over = false;
  const auto wait_for_ever = [&]() -> awaitable<void> {
    timer never{co_await boost::asio::this_coro::executor};
    co_await never.async_wait(use_awaitable);
    over = true;
  };
  host.run([&] { return wait_for_ever(); });
  EXPECT_FALSE(w.run_until([&] { return over; }, 1h));
}

}  // namespace
}  // namespace zmtp::simulation
