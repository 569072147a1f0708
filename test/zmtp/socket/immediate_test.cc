// immediate over loopback: what is sent goes to connections that stand.

#include "test/support/pattern_test.h"
#include "zmtp/socket/pull_socket.h"
#include "zmtp/socket/push_socket.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace zmtp::test {
namespace {

using immediate = pattern_test;

TEST_F(immediate, what_is_sent_goes_to_who_is_there_and_not_to_who_may_come) {
  // A port that was the system's choice a moment ago.
  const auto nobody = router_socket{executor()}.bind("tcp://127.0.0.1:*").to_string();
  run_ready();
  for (const auto only_connected : {false, true}) {
    auto options = impatient();
    options.immediate = only_connected;
    push_socket push{executor(), options};
    push.connect(nobody);
    std::optional<error_code> end;
    push.async_send({"first"}, [&](error_code ec) { end = ec; });
    run_ready();
    EXPECT_EQ(end.has_value(), !only_connected);
    pull_socket pull{executor()};
    join(pull, push);
    put(push, {"second"});
    put(push, {"third"});
    // Otherwise the first two wait for who may never come.
    EXPECT_EQ(take(pull).front(), only_connected ? "first" : "third");
    push.close(std::chrono::milliseconds{0});
    run_until([&] { return end.has_value(); });
  }
}

}  // namespace
}  // namespace zmtp::test
