#include "zmtp/transport/connector.h"

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

namespace zmtp::transport {
namespace {

using asio::ip::tcp;

// A port that is even, which Linux gives to who connects, and that nobody listens at.
endpoint nobody(asio::io_context& context) {
  for (;;) {
    const tcp::acceptor probe{context, {asio::ip::address_v4::loopback(), 0}};
    const auto port = probe.local_endpoint().port();
    if (port % 2 == 0) {
      return {tcp_address{"127.0.0.1", port}};
    }
    // The one beside it, if it is free too.
    tcp::acceptor beside{context, tcp::v4()};
    error_code ec;
    beside.bind({asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port + 1)}, ec);
    if (!ec && port != 65'535) {
      return {tcp_address{"127.0.0.1", static_cast<std::uint16_t>(port + 1)}};
    }
  }
}

// Each attempt has the next port for its own; in so many, one has that which it connects to, and is
// connected to itself.
TEST(connector, never_connects_to_itself) {
  asio::io_context context{1};
  const auto to = nobody(context);
  constexpr int attempts = 16'000;
  for (int i = 0; i < attempts; ++i) {
    std::optional<error_code> result;
    const auto attempt = std::make_shared<connector>(context.get_executor(), transport_options{});
    attempt->start(to, std::chrono::seconds{10},
                   [&](error_code ec, const stream&) { result = ec; });
    context.restart();
    context.run();
    ASSERT_EQ(result, asio::error::connection_refused) << "attempt " << i;
  }
}

}  // namespace
}  // namespace zmtp::transport
