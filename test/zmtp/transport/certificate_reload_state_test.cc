#include "zmtp/transport/certificate_reload_state.h"

#include <gtest/gtest.h>

#include <chrono>

namespace zmtp::transport {
namespace {

using namespace std::chrono_literals;

TEST(certificate_reload_state, looks_at_once_and_then_at_most_once_in_an_interval) {
  certificate_reload_state state{1s};
  const certificate_reload_state::time_point start{1h};
  EXPECT_TRUE(state.looks(start));
  EXPECT_FALSE(state.looks(start));
  EXPECT_FALSE(state.looks(start + 999ms));
  EXPECT_TRUE(state.looks(start + 1s));
  EXPECT_FALSE(state.looks(start + 1'999ms));
  EXPECT_TRUE(state.looks(start + 1h));
}

TEST(certificate_reload_state, loads_again_after_a_fault) {
  certificate_reload_state state{1s};
  EXPECT_TRUE(state.loads_again());
  EXPECT_EQ(state.on_loaded({}), error_code{});
  EXPECT_FALSE(state.loads_again());
  EXPECT_EQ(state.on_loaded(errc::bad_key_file), errc::bad_key_file);
  EXPECT_TRUE(state.loads_again());
}

TEST(certificate_reload_state, reports_a_fault_once_until_it_is_another) {
  certificate_reload_state state{1s};
  EXPECT_EQ(state.on_loaded({}), error_code{});
  EXPECT_EQ(state.on_loaded(errc::bad_key_file), errc::bad_key_file);
  EXPECT_EQ(state.on_loaded(errc::bad_key_file), error_code{});
  EXPECT_EQ(state.on_loaded(errc::foreign_key), errc::foreign_key);
  EXPECT_EQ(state.on_loaded({}), error_code{});
  EXPECT_EQ(state.on_loaded(errc::foreign_key), errc::foreign_key) << "after it was repaired";
}

}  // namespace
}  // namespace zmtp::transport
