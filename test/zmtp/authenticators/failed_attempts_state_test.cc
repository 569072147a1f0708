#include "zmtp/authenticators/failed_attempts_state.h"

#include <gtest/gtest.h>

#include <string>

namespace zmtp {
namespace {

using namespace std::chrono_literals;
using time_point = failed_attempts_state::time_point;

constexpr time_point start{1'000h};

TEST(failed_attempts, an_address_is_blocked_after_too_many) {
  failed_attempts_state attempts{{.failures = 3, .recovery = 10s}};
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(attempts.blocked("a", start)) << i;
    attempts.note("a", start);
  }
  EXPECT_TRUE(attempts.blocked("a", start));
  EXPECT_FALSE(attempts.blocked("b", start));
}

TEST(failed_attempts, one_is_forgotten_in_each_interval) {
  failed_attempts_state attempts{{.failures = 3, .recovery = 10s}};
  for (int i = 0; i < 3; ++i) {
    attempts.note("a", start);
  }
  EXPECT_TRUE(attempts.blocked("a", start + 9s));
  EXPECT_FALSE(attempts.blocked("a", start + 10s));
  attempts.note("a", start + 10s);
  EXPECT_TRUE(attempts.blocked("a", start + 10s));
  EXPECT_FALSE(attempts.blocked("a", start + 20s));
  // All are forgotten, and none counts twice.
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(attempts.blocked("a", start + 1h)) << i;
    attempts.note("a", start + 1h);
  }
  EXPECT_TRUE(attempts.blocked("a", start + 1h));
}

TEST(failed_attempts, one_failure_may_block) {
  failed_attempts_state attempts{{.failures = 1, .recovery = 10s}};
  EXPECT_FALSE(attempts.blocked("a", start));
  attempts.note("a", start);
  EXPECT_TRUE(attempts.blocked("a", start + 9s));
  EXPECT_FALSE(attempts.blocked("a", start + 10s));
}

TEST(failed_attempts, a_full_table_loses_the_address_that_is_forgotten_first) {
  failed_attempts_state attempts{{.failures = 2, .recovery = 10s, .addresses = 3}};
  for (const auto* const address : {"a", "a", "b", "c", "c"}) {
    attempts.note(address, start);
  }
  attempts.note("d", start);
  EXPECT_EQ(attempts.size(), 3U);
  EXPECT_TRUE(attempts.blocked("a", start));
  EXPECT_TRUE(attempts.blocked("c", start));
  attempts.note("b", start);
  EXPECT_FALSE(attempts.blocked("b", start));  // its first one was lost
}

TEST(failed_attempts, a_full_table_loses_all_that_are_forgotten) {
  failed_attempts_state attempts{{.failures = 2, .recovery = 10s, .addresses = 100}};
  for (int i = 0; i < 100; ++i) {
    attempts.note(std::to_string(i), start);
  }
  EXPECT_EQ(attempts.size(), 100U);
  attempts.note("a", start + 10s);
  EXPECT_EQ(attempts.size(), 1U);
}

}  // namespace
}  // namespace zmtp
