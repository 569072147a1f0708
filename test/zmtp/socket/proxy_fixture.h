#pragma once
// Base of tests with a proxy between sockets of any kind.

#include "test/support/pattern_test.h"
#include "zmtp/socket/proxy.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>

namespace zmtp::test {

inline message numbered(std::size_t n) { return message{std::to_string(n), "of a stream"}; }

class proxy_test : public pattern_test {
protected:
  void run(proxy& p) {
    p.async_run([this](error_code ec) { end_ = ec; });
  }
  void expect_end(error_code why) {
    run_until([&] { return end_.has_value(); });
    EXPECT_EQ(end_.value_or(errc::timed_out), why);
    end_.reset();
  }

  std::optional<error_code> end_;
};

}  // namespace zmtp::test
