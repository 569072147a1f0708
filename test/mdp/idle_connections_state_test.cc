#include "mdp/idle_connections_state.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace mdp {
namespace {

using namespace std::chrono_literals;

class idle_connections : public testing::Test {
protected:
  // The connections that are closed at this time.
  std::vector<unsigned> due(std::chrono::milliseconds at) {
    std::vector<unsigned> found;
    while (const auto one = state.take_due(begin + at)) {
      found.push_back(*one);
    }
    return found;
  }

  idle_connections_state::time_point begin{1h};
  idle_connections_state state{2, 10s};
};

TEST_F(idle_connections, the_last_used_is_used_next) {
  EXPECT_FALSE(state.take());
  state.put(1, begin);
  state.put(2, begin + 1s);
  EXPECT_EQ(state.take(), 2U);
  EXPECT_EQ(state.take(), 1U);
  EXPECT_FALSE(state.take());
}

TEST_F(idle_connections, the_kept_number_stays_open) {
  state.put(1, begin);
  state.put(2, begin);
  EXPECT_FALSE(state.next_deadline());
  EXPECT_TRUE(due(24h).empty());
}

TEST_F(idle_connections, the_longest_idle_above_the_number_are_closed_after_the_time) {
  for (unsigned i = 1; i <= 5; ++i) {
    state.put(i, begin + i * 1s);
  }
  EXPECT_EQ(state.next_deadline(), begin + 11s);
  EXPECT_TRUE(due(10'999ms).empty());
  EXPECT_EQ(due(12s), (std::vector<unsigned>{1, 2}));
  EXPECT_EQ(state.next_deadline(), begin + 13s);
  EXPECT_EQ(due(24h), (std::vector<unsigned>{3}));
  EXPECT_EQ(state.size(), 2U);
}

TEST_F(idle_connections, a_connection_is_idle_from_the_end_of_its_request) {
  for (unsigned i = 1; i <= 4; ++i) {
    state.put(i, begin);
  }
  EXPECT_EQ(state.take(), 4U);
  EXPECT_EQ(state.take(), 3U);
  EXPECT_FALSE(state.next_deadline());
  state.put(3, begin + 9s);
  state.put(4, begin + 9s);
  EXPECT_EQ(due(10s), (std::vector<unsigned>{1, 2}));
  EXPECT_EQ(state.take(), 4U);
}

TEST_F(idle_connections, a_burst_falls_back_to_the_number_that_stays) {
  constexpr unsigned burst = 10'000;
  for (unsigned i = 0; i < burst; ++i) {
    state.put(i, begin);
  }
  EXPECT_EQ(due(10s).size(), burst - 2);
  EXPECT_EQ(state.size(), 2U);
}

}  // namespace
}  // namespace mdp
