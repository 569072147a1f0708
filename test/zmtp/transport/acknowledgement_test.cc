#include "zmtp/transport/acknowledgement.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace zmtp::transport {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

class an_acknowledgement : public testing::Test {
protected:
  void SetUp() override {
    tcp::acceptor acceptor{context, {asio::ip::address_v4::loopback(), 0}};
    own.connect(acceptor.local_endpoint());
    acceptor.accept(peer);
  }
  acknowledgement notified() { return acknowledged(own.native_handle()); }
  // The kernel has its own time for it.
  template <class Done>
  static void wait_until(Done&& done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{10};
    while (!done()) {
      ASSERT_LT(std::chrono::steady_clock::now(), end);
    }
  }

  asio::io_context context{1};
  tcp::socket own{context};
  tcp::socket peer{context};
};

TEST_F(an_acknowledgement, counts_the_bytes_taken_by_the_peers_kernel) {
  EXPECT_TRUE(notified().complete);
  const auto before = notified().bytes;
  asio::write(own, asio::buffer(std::string(1'000, 'x')));
  wait_until([&] { return notified().bytes == before + 1'000; });
  EXPECT_TRUE(notified().complete);
}

TEST_F(an_acknowledgement, is_complete_if_the_peer_does_not_read) {
  own.non_blocking(true);
  const std::string much(1'000'000, 'x');
  boost::system::error_code ec;
  std::size_t written = 0;
  while (!ec) {
    written += own.write_some(asio::buffer(much), ec);
  }
  EXPECT_EQ(ec, asio::error::would_block);
  wait_until([&] { return notified().complete; });
  EXPECT_LT(notified().bytes, written) << "the kernel must still hold data to send";
}

TEST_F(an_acknowledgement, is_complete_on_sockets_other_than_tcp) {
  asio::local::stream_protocol::socket one{context};
  asio::local::stream_protocol::socket other{context};
  asio::local::connect_pair(one, other);
  asio::write(one, asio::buffer(std::string(1'000, 'x')));
  const auto said = acknowledged(one.native_handle());
  EXPECT_TRUE(said.complete);
  EXPECT_EQ(said.bytes, 0U);
  EXPECT_TRUE(acknowledged(-1).complete);
}

}  // namespace
}  // namespace zmtp::transport
