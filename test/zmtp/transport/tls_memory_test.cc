// The memory of a session of TLS, for every peer. docs/endpoints.md names its limits.

#include "test/support/certificates.h"
#include "test/zmtp/transport/memory_stream.h"
#include "zmtp/transport/tls_connection.h"

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <malloc.h>
#include <memory>
#include <span>
#include <string>

namespace zmtp::test {
namespace {

namespace asio = boost::asio;
using websocket::side;

constexpr std::size_t kibi = 1024;

std::size_t used = 0;  // bytes of OpenSSL
std::size_t most = 0;

void* count(void* of) {
  used += ::malloc_usable_size(of);
  most = std::max(most, used);
  return of;
}
void* allocate(std::size_t size, const char*, int) { return count(std::malloc(size)); }
void release(void* of, const char*, int) {
  used -= ::malloc_usable_size(of);
  std::free(of);
}
void* change(void* of, std::size_t size, const char*, int) {
  used -= ::malloc_usable_size(of);
  return count(std::realloc(of, size));
}
// Before OpenSSL allocates anything.
const bool counts = CRYPTO_set_mem_functions(allocate, change, release) == 1;

class tls_memory : public testing::Test {
protected:
  void SetUp() override { ASSERT_TRUE(counts); }

  static std::unique_ptr<transport::tls_context> context_of(side own, asio::io_context& context) {
    return *transport::tls_context::make(own, *endpoint::parse("tls+tcp://localhost:5555"),
                                         own == side::server ? tls_of_server() : tls_of_client(),
                                         context.get_executor());
  }
  static error_code read(transport::stream& from) {
    std::array<std::byte, 64 * kibi> to;
    error_code ec;
    while (from.read_some(to, ec) != 0) {
    }
    return ec;
  }

  asio::io_context context_;
  std::unique_ptr<transport::tls_context> server_context_ = context_of(side::server, context_);
  std::unique_ptr<transport::tls_context> client_context_ = context_of(side::client, context_);
  direction to_server_;
  direction to_client_;
};

std::string record(const std::string& payload) {
  return std::string{"\x16\x03\x01", 3} + static_cast<char>(payload.size() >> 8U) +
         static_cast<char>(payload.size()) + payload;
}

TEST_F(tls_memory, a_handshake_without_an_end_has_a_limit) {
  const auto before = used;
  const auto server =
      transport::make_tls_stream(std::make_unique<memory_stream>(to_server_, to_client_, unlimited),
                                 *server_context_, context_.get_executor());
  // A ClientHello of 128 KiB, of which a part has come.
  to_server_.bytes = record(std::string{"\x01\x02\x00\x00", 4} + std::string(16'000, 'x'));
  for (int i = 0; i < 7; ++i) {
    to_server_.bytes += record(std::string(16'384, 'x'));
  }
  most = used;
  EXPECT_EQ(read(*server), asio::error::would_block);
  EXPECT_LE(used - before, 256 * kibi);
  EXPECT_LE(most - before, 384 * kibi) << "while the buffer of the message grows";
  EXPECT_TRUE(to_server_.bytes.empty());
}

TEST_F(tls_memory, a_longer_message_of_a_handshake_is_refused) {
  const auto before = used;
  const auto server =
      transport::make_tls_stream(std::make_unique<memory_stream>(to_server_, to_client_, unlimited),
                                 *server_context_, context_.get_executor());
  to_server_.bytes = record(std::string{"\x01\xff\xff\xff", 4} + std::string(16'000, 'x'));
  most = used;
  EXPECT_EQ(read(*server), errc::bad_tls);
  EXPECT_LE(most - before, 96 * kibi);
}

TEST_F(tls_memory, an_open_connection_has_a_limit) {
  const auto before = used;
  const auto server =
      transport::make_tls_stream(std::make_unique<memory_stream>(to_server_, to_client_, unlimited),
                                 *server_context_, context_.get_executor());
  std::size_t of_client = used;
  const auto client =
      transport::make_tls_stream(std::make_unique<memory_stream>(to_client_, to_server_, unlimited),
                                 *client_context_, context_.get_executor());
  of_client = used - of_client;
  const auto by_client = [&](const auto& act) {
    const auto was = used;
    act();
    of_client += used - was;
  };
  for (int i = 0; i < 3; ++i) {
    by_client([&] { EXPECT_EQ(read(*client), asio::error::would_block); });
    EXPECT_EQ(read(*server), asio::error::would_block);
  }
  const auto own = [&] { return used - before - of_client; };
  EXPECT_LE(own(), 48 * kibi) << "idle";
  const std::string text(16'384, 'x');
  by_client([&] {
    const auto piece = std::as_bytes(std::span{text});
    error_code ec;
    EXPECT_EQ(client->write_some({&piece, 1}, ec), text.size());
  });
  to_server_.bytes.pop_back();
  EXPECT_EQ(read(*server), asio::error::would_block);
  EXPECT_TRUE(to_server_.bytes.empty());
  EXPECT_LE(own(), 80 * kibi) << "a record without its last byte";
}

}  // namespace
}  // namespace zmtp::test
