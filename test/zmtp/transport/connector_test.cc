#include "zmtp/transport/system_acceptor.h"
#include "zmtp/transport/system_connector.h"

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

// Returns an even port at which no socket listens. Linux assigns even ports to connecting sockets.
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

// Each attempt uses the next port. Among this number of attempts, one has the port to which it
// connects, and is connected to itself.
TEST(connector, never_connects_to_itself) {
  asio::io_context context{1};
  const auto to = nobody(context);
  constexpr int attempts = 16'000;
  for (int i = 0; i < attempts; ++i) {
    std::optional<error_code> result;
    const auto attempt =
        std::make_shared<system_connector>(context.get_executor(), transport_options{});
    attempt->start(to, std::chrono::seconds{10},
                   [&](error_code ec, const std::unique_ptr<stream>&) { result = ec; });
    context.restart();
    context.run();
    ASSERT_EQ(result, asio::error::connection_refused) << "attempt " << i;
  }
}

TEST(connector, completes_with_operation_aborted_when_it_is_cancelled) {
  asio::io_context context{1};
  system_acceptor ipc{context.get_executor(), {}};
  system_acceptor tcp{context.get_executor(), {}};
  ASSERT_EQ(ipc.open({ipc_address{"*"}}, 1), error_code{});
  ASSERT_EQ(tcp.open({tcp_address{"127.0.0.1"}}, 1), error_code{});
  for (const auto& to : {ipc.bound(), tcp.bound(), endpoint{tcp_address{"0x7f000001", 1}},
                         endpoint{ipc_address{"/nobody/there"}}}) {
    std::optional<error_code> result;
    const auto attempt =
        std::make_shared<system_connector>(context.get_executor(), transport_options{});
    attempt->start(to, std::chrono::seconds{10},
                   [&](error_code ec, const std::unique_ptr<stream>& s) {
                     result = ec;
                     EXPECT_EQ(s, nullptr);
                   });
    attempt->cancel();
    EXPECT_FALSE(result) << to.to_string();
    context.restart();
    context.run();
    EXPECT_EQ(result, asio::error::operation_aborted) << to.to_string();
  }
}

}  // namespace
}  // namespace zmtp::transport
