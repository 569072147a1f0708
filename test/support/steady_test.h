#pragma once
// Base of tests that a steady stream of messages asks for no memory. A program that includes it counts
// what its threads ask for.

#include "test/support/allocations.h"
#include "test/support/handler_memory.h"
#include "test/support/pattern_test.h"

#include <boost/asio/steady_timer.hpp>
#include <gtest/gtest.h>

#include <cstddef>
#include <utility>

namespace zmtp::test {

class steady_test : public pattern_test {
public:
  // The messages of a window.
  static constexpr std::size_t count = 10'000;

  // How often memory was asked for, for messages and for handlers.
  static std::size_t all_requests() { return counted().requests + handler_memory_requests(); }

  // Counts `moved` more messages that have arrived. Stops the context after a window that cost nothing,
  // at the latest after `most_windows`.
  void note(std::size_t moved) {
    moved_ += moved;
    if (moved_ < count) {
      return;
    }
    moved_ = 0;
    const auto all = all_requests();
    cost_ = all - std::exchange(before_, all);
    ++windows_;
    if (windows_ > 1 && (cost_ == 0 || windows_ == most_windows)) {
      context().stop();
    }
  }

  // Runs until note() has stopped the context. Returns how often memory was asked for in the last
  // window: 0 if a window was found that cost nothing. In some windows a queue or a block still grows,
  // because how full it becomes depends on how long other programs keep this one waiting. All happens in
  // one run() of the context: Asio keeps the memory of handlers no longer than that.
  std::size_t requests() {
    asio::steady_timer watch{context(), timeout};
    watch.async_wait([this](error_code ec) {
      if (!ec) {
        ADD_FAILURE() << "time has run out";
        context().stop();
      }
    });
    context().restart();
    context().run();
    EXPECT_GT(windows_, 1);
    return cost_;
  }

private:
  static constexpr int most_windows = 20;

  std::size_t moved_ = 0;
  std::size_t before_ = 0;
  std::size_t cost_ = 0;
  int windows_ = 0;
};

}  // namespace zmtp::test
