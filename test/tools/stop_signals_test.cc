#include "tools/zinc/stop_signals.h"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <optional>

namespace zinc {
namespace {

namespace asio = boost::asio;

constexpr int stopped = 3;

// In a process of its own: what signals do there is its business alone.
class stop_signals_death_test : public testing::TestWithParam<int> {
public:
  asio::io_context context{1};
  std::optional<stop_signals> signals;

  void start() {
    signals.emplace(context.get_executor(), [] { std::_Exit(stopped); });
  }
  static void send(int number) { std::raise(number); }
  static void end() { std::_Exit(EXIT_SUCCESS); }
};

TEST_P(stop_signals_death_test, the_first_stops) {
  const auto run = [&] {
    start();
    send(GetParam());
    context.run();
    end();
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(stopped), "");
}

TEST_P(stop_signals_death_test, the_second_ends_the_process) {
  const auto run = [&] {
    signals.emplace(context.get_executor(), [&] { signals->cancel(); });
    send(GetParam());
    context.run();
    send(GetParam());
    end();
  };
  EXPECT_EXIT(run(), testing::KilledBySignal(GetParam()), "");
}

TEST_P(stop_signals_death_test, the_first_does_not_kill_after_the_end) {
  const auto run = [&] {
    start();
    signals->cancel();
    context.run();
    send(GetParam());
    signals.reset();
    end();
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(EXIT_SUCCESS), "");
}

TEST_P(stop_signals_death_test, a_signal_before_the_end_does_not_kill) {
  const auto run = [&] {
    start();
    send(GetParam());
    signals->cancel();
    context.run();
    end();
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(EXIT_SUCCESS), "");
}

TEST_P(stop_signals_death_test, the_destructor_ignores_the_first) {
  const auto run = [&] {
    start();
    signals.reset();
    context.run();
    send(GetParam());
    end();
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(EXIT_SUCCESS), "");
}

TEST_P(stop_signals_death_test, the_second_kills_a_process_that_hangs_at_its_end) {
  for (const int second : {SIGINT, SIGTERM}) {
    const auto run = [&] {
      start();
      signals->cancel();
      send(GetParam());
      send(second);
      end();
    };
    EXPECT_EXIT(run(), testing::KilledBySignal(second), "");
  }
}

INSTANTIATE_TEST_SUITE_P(each, stop_signals_death_test, testing::Values(SIGINT, SIGTERM));

}  // namespace
}  // namespace zinc
