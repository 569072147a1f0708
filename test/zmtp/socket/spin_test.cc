// socket_options::spin: the executor stays busy after a turn, and no longer than it was asked to.

#include "test/support/pattern_test.h"
#include "zmtp/socket/pipeline_sockets.h"

#include <gtest/gtest.h>

#include <utility>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;

constexpr int polls = 1'000;

socket_options spinning(std::chrono::microseconds time) {
  socket_options options;
  options.spin = time;
  return options;
}

class spin : public pattern_test, public ::testing::WithParamInterface<medium> {
protected:
  // Returns how polls polls of the context ran a handler.
  int busy() {
    context().restart();
    int found = 0;
    for (int i = 0; i < polls; ++i) {
      found += static_cast<int>(context().poll_one());
    }
    return found;
  }
};

TEST_P(spin, keeps_the_executor_busy_after_a_message) {
  push_socket push{executor()};
  pull_socket pull{executor(), spinning(1h)};
  join(pull, push, GetParam());
  put(push, message{"1"});
  EXPECT_EQ(take(pull), message{"1"});
  EXPECT_EQ(busy(), polls);
  put(push, message{"2"});
  EXPECT_EQ(take(pull), message{"2"});
  EXPECT_EQ(busy(), polls);
}

TEST_P(spin, ends_with_its_time) {
  push_socket push{executor()};
  pull_socket pull{executor(), spinning(1ms)};
  join(pull, push, GetParam());
  put(push, message{"1"});
  EXPECT_EQ(take(pull), message{"1"});
  // Returns when nothing is ready.
  run_ready();
  EXPECT_EQ(busy(), 0);
}

TEST_P(spin, ends_with_the_socket) {
  push_socket push{executor()};
  pull_socket pull{executor(), spinning(1h)};
  join(pull, push, GetParam());
  put(push, message{"1"});
  EXPECT_EQ(take(pull), message{"1"});
  pull.close(0ms);
  push.close(0ms);
  run_ready();
  EXPECT_EQ(busy(), 0);
}

TEST_P(spin, can_be_changed_at_any_time) {
  push_socket push{executor()};
  pull_socket pull{executor()};
  join(pull, push, GetParam());
  put(push, message{"1"});
  EXPECT_EQ(take(pull), message{"1"});
  run_ready();
  EXPECT_EQ(busy(), 0);
  pull.set_options(spinning(1h));
  put(push, message{"2"});
  EXPECT_EQ(take(pull), message{"2"});
  EXPECT_EQ(busy(), polls);
  pull.set_options(spinning(0us));
  run_ready();
  EXPECT_EQ(busy(), 0);
}

INSTANTIATE_TEST_SUITE_P(every, spin, ::testing::Values(medium::tcp, medium::inproc),
                         [](const auto& tested) {
                           return tested.param == medium::tcp ? "tcp" : "inproc";
                         });

}  // namespace
}  // namespace zmtp::test
