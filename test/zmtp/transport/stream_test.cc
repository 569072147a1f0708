// Connections of each transport, from both ends: the bytes, the socket options, the address of the
// other end, and that no child process inherits them.

#include "test/support/machine.h"
#include "test/support/meeting.h"
#include "test/support/transport_test.h"
#include "zmtp/transport/system_stream.h"

#include <boost/asio/error.hpp>
#include <gtest/gtest.h>

#include <cstdio>
#include <fcntl.h>
#include <memory>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <span>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace zmtp::test {
namespace {

class streams : public transport_test {
protected:
  static std::vector<std::string> everywhere() {
    std::vector<std::string> all;
    for (const auto each : byte_media()) {
      all.push_back(free_endpoint(each));
    }
    return all;
  }
  static int option(const stream& of, int level, int name) {
    int value = -1;
    ::socklen_t size = sizeof value;
    EXPECT_EQ(::getsockopt(of->socket().native_handle(), level, name, &value, &size), 0);
    return value;
  }
  void write(stream& to, std::string_view text) {
    const std::span piece{reinterpret_cast<const std::byte*>(text.data()), text.size()};
    error_code ec;
    EXPECT_EQ(to->write_some(std::span{&piece, 1}, ec), text.size());
    EXPECT_EQ(ec, error_code{});
  }
  std::string read(stream& from) {
    error_code ec;
    std::vector<std::byte> room(1'000);
    std::size_t count = 0;
    const auto waiting = std::make_shared<recorder>();
    from->wait(transport::stream_side::read, waiting);
    run_until([&] { return waiting->result.has_value(); });
    count = from->read_some(room, ec);
    EXPECT_EQ(ec, error_code{});
    return {reinterpret_cast<const char*>(room.data()), count};
  }
};

TEST_F(streams, carry_bytes_both_ways) {
  for (const auto& where : everywhere()) {
    auto [accepted, connected] = meet(where);
    std::array<std::byte, 1> room{};
    error_code ec;
    for (auto* each : {&accepted, &connected}) {
      EXPECT_EQ((*each)->read_some(room, ec), 0U);
      EXPECT_EQ(ec, asio::error::would_block) << where;
    }
    write(connected, "there");
    EXPECT_EQ(read(accepted), "there") << where;
    write(accepted, "and back");
    EXPECT_EQ(read(connected), "and back") << where;
  }
}

TEST_F(streams, accepting_without_a_pending_connection_would_block) {
  for (const auto& where : everywhere()) {
    acceptor a{executor(), {}};
    ASSERT_EQ(a.open(at(where), backlog), error_code{});
    error_code ec;
    EXPECT_EQ(a.accept(ec), nullptr);
    EXPECT_EQ(ec, asio::error::would_block) << where;
  }
}

TEST_F(streams, tcp_defaults_suit_short_messages_and_dead_peers) {
  auto ends = meet("tcp://127.0.0.1:*");
  for (auto* each : {&ends.accepted, &ends.connected}) {
    EXPECT_EQ(option(*each, IPPROTO_TCP, TCP_NODELAY), 1);
    EXPECT_EQ(option(*each, SOL_SOCKET, SO_KEEPALIVE), 1);
    EXPECT_EQ(option(*each, IPPROTO_TCP, TCP_KEEPIDLE), 30);
    EXPECT_EQ(option(*each, IPPROTO_TCP, TCP_KEEPINTVL), 10);
    EXPECT_EQ(option(*each, IPPROTO_TCP, TCP_KEEPCNT), 3);
    EXPECT_EQ(option(*each, IPPROTO_TCP, TCP_USER_TIMEOUT), 0);
    EXPECT_EQ(option(*each, IPPROTO_IP, IP_TOS), 0);
  }
}

TEST_F(streams, tcp_options_are_applied) {
  using namespace std::chrono_literals;
  transport_options options;
  options.keepalive = {.idle = 7s, .interval = 5s, .count = 11};
  options.user_timeout = 4'321ms;
  options.type_of_service = 0x20;
  for (const auto& where : everywhere()) {
    if (at(where).tcp() == nullptr) {
      continue;
    }
    auto ends = meet(where, options);
    for (auto* each : {&ends.accepted, &ends.connected}) {
      EXPECT_EQ(option(*each, SOL_SOCKET, SO_KEEPALIVE), 1);
      EXPECT_EQ(option(*each, IPPROTO_TCP, TCP_KEEPIDLE), 7);
      EXPECT_EQ(option(*each, IPPROTO_TCP, TCP_KEEPINTVL), 5);
      EXPECT_EQ(option(*each, IPPROTO_TCP, TCP_KEEPCNT), 11);
      EXPECT_EQ(option(*each, IPPROTO_TCP, TCP_USER_TIMEOUT), 4'321);
      EXPECT_EQ(option(*each, IPPROTO_IP, IP_TOS), 0x20);
      if (option(*each, SOL_SOCKET, SO_DOMAIN) == AF_INET6) {
        EXPECT_EQ(option(*each, IPPROTO_IPV6, IPV6_TCLASS), 0x20);
      }
    }
    options.keepalive.reset();
    auto without = meet(where, options);
    EXPECT_EQ(option(without.accepted, SOL_SOCKET, SO_KEEPALIVE), 0);
    EXPECT_EQ(option(without.connected, SOL_SOCKET, SO_KEEPALIVE), 0);
    options.keepalive = {.idle = 7s, .interval = 5s, .count = 11};
  }
}

TEST_F(streams, have_the_configured_buffers) {
  transport_options options;
  options.send_buffer = 20'000;
  options.receive_buffer = 30'000;
  for (const auto& where : everywhere()) {
    auto ends = meet(where, options);
    for (auto* each : {&ends.accepted, &ends.connected}) {
      // The kernel doubles the sizes, because it stores more than the bytes.
      EXPECT_EQ(option(*each, SOL_SOCKET, SO_SNDBUF), 40'000) << where;
      EXPECT_EQ(option(*each, SOL_SOCKET, SO_RCVBUF), 60'000) << where;
    }
  }
}

TEST_F(streams, know_the_process_at_the_other_end_of_ipc) {
  const process_credentials us{::getpid(), ::getuid(), ::getgid()};
  for (const auto& where : everywhere()) {
    auto ends = meet(where);
    for (auto* each : {&ends.accepted, &ends.connected}) {
      EXPECT_EQ((*each)->remote().process,
                at(where).ipc() != nullptr ? std::optional{us} : std::nullopt)
          << where;
    }
  }
}

TEST_F(streams, know_the_address_of_the_other_end) {
  auto ends = meet("tcp://127.0.0.1:*");
  asio::ip::tcp::endpoint own;
  const auto local = ends.connected->socket().local_endpoint();
  std::memcpy(own.data(), local.data(), local.size());
  EXPECT_EQ(ends.accepted->remote().address, "127.0.0.1:" + std::to_string(own.port()));

  // An IPv4 peer of a listener for both is written as one.
  if (has_ipv6()) {
    transport_options both;
    both.ipv6 = true;
    acceptor a{executor(), both};
    ASSERT_EQ(a.open(at("tcp://*:*"), backlog), error_code{});
    const auto port = a.bound().tcp()->port;
    EXPECT_EQ(connect({tcp_address{"127.0.0.1", port}}), error_code{});
    EXPECT_TRUE(take(a)->remote().address.starts_with("127.0.0.1:"));
    EXPECT_EQ(connect({tcp_address{"::1", port}}), error_code{});
    EXPECT_TRUE(take(a)->remote().address.starts_with("[::1]:"));
  }
}

TEST_F(streams, know_the_host_of_the_other_end_for_every_family) {
  const auto bytes_of = [](const char* text) { return asio::ip::make_address_v6(text).to_bytes(); };
  EXPECT_EQ(meet("tcp://127.0.0.1:*").accepted->remote().host, bytes_of("::ffff:127.0.0.1"));
  EXPECT_EQ(meet("ipc://*").accepted->remote().host, std::nullopt);
  EXPECT_EQ(transport::system_stream{executor()}.remote().host, std::nullopt);
  if (has_ipv6()) {
    EXPECT_EQ(meet("tcp://[::1]:*").accepted->remote().host, bytes_of("::1"));
    transport_options both;
    both.ipv6 = true;
    acceptor a{executor(), both};
    ASSERT_EQ(a.open(at("tcp://*:*"), backlog), error_code{});
    EXPECT_EQ(connect({tcp_address{"127.0.0.1", a.bound().tcp()->port}}), error_code{});
    EXPECT_EQ(take(a)->remote().host, bytes_of("::ffff:127.0.0.1"));
  }
}

// The descriptors that a program has which this one starts.
std::string inherited() {
  const std::unique_ptr<FILE, decltype(&::pclose)> list{::popen("exec ls /proc/self/fd", "re"),
                                                        &::pclose};
  std::string text;
  for (int c = 0; (c = std::fgetc(list.get())) != EOF;) {
    text += static_cast<char>(c);
  }
  return text;
}

TEST_F(streams, are_not_inherited_by_executed_programs) {
  const auto before = inherited();
  ASSERT_NE(before, "");
  asio::io_context another{1};
  std::vector<std::unique_ptr<acceptor>> acceptors;
  std::vector<pair> pairs;
  for (const auto& where : everywhere()) {
    pairs.push_back(meet(where));
    acceptors.push_back(std::make_unique<acceptor>(executor(), transport_options{}));
    ASSERT_EQ(acceptors.back()->open(at(where), backlog), error_code{});
  }
  EXPECT_EQ(inherited(), before);
}

}  // namespace
}  // namespace zmtp::test
