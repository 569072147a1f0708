#pragma once
// Commands that the tests of the mechanisms share, and faults that they expect.

#include "zmtp/mechanism/mechanism.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace zmtp::test {

inline metadata announcing(std::string_view type) {
  metadata own;
  own.add("Socket-Type", type);
  return own;
}

inline void expect_fault(mechanism& m, std::string_view body, errc fault) {
  std::string output;
  const auto step = m.on_command(body, output);
  ASSERT_FALSE(step) << body;
  EXPECT_EQ(step.error(), fault) << body << ": " << step.error().message();
  EXPECT_EQ(output, "");
}

}  // namespace zmtp::test
