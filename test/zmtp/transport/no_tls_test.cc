#include "zmtp/transport/tls_context.h"

#include <gtest/gtest.h>

namespace zmtp::transport {
namespace {

using websocket::side;

TEST(no_tls, refuses_endpoints_with_tls_as_a_transport_that_this_build_has_not) {
  for (const auto* const at : {"wss://*:443", "tls+tcp://127.0.0.1:5555"}) {
    for (const auto own : {side::server, side::client}) {
      const auto made = tls_context::make(own, *endpoint::parse(at), {}, {});
      EXPECT_EQ(made.error(), errc::unknown_transport) << at;
    }
  }
}

TEST(no_tls, other_endpoints_need_none) {
  for (const auto* const at : {"ws://*:80", "tcp://127.0.0.1:5555", "ipc:///run/a", "inproc://a"}) {
    const auto made = tls_context::make(side::server, *endpoint::parse(at), {}, {});
    ASSERT_TRUE(made) << at;
    EXPECT_EQ(*made, nullptr) << at;
  }
}

}  // namespace
}  // namespace zmtp::transport
