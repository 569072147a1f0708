// The addresses of tcp:// endpoints: to bind to, and of the peer.

#include "zmtp/transport/tcp.h"

#include "test/support/machine.h"
#include "test/support/transport_test.h"

#include <boost/asio/error.hpp>
#include <gtest/gtest.h>

#include <string>

namespace zmtp::test {
namespace {

using transport::own_addresses;

class tcp_transport : public transport_test {
protected:
  // Whether a listener at `where` can be reached at this address.
  bool reaches(const std::string& where, const std::string& host, bool ipv6 = false) {
    transport_options options;
    options.ipv6 = ipv6;
    acceptor a{executor(), options};
    EXPECT_EQ(a.open(at(where), backlog), error_code{}) << where;
    EXPECT_TRUE(a.bound().connectable()) << where;
    EXPECT_EQ(connect(a.bound()), error_code{}) << a.bound().to_string();
    const auto ec = connect({tcp_address{host, a.bound().tcp()->port}});
    EXPECT_TRUE(!ec || ec == asio::error::connection_refused) << ec.message();
    return !ec;
  }
  std::string comes_from(const host_port& source) {
    return meet("tcp://127.0.0.1:*", {}, source).accepted->remote().address;
  }
  error_code fails_from(const host_port& source) {
    acceptor a{executor(), {}};
    EXPECT_EQ(a.open(at("tcp://127.0.0.1:*"), backlog), error_code{});
    return connect({tcp_address{"127.0.0.1", a.bound().tcp()->port, source}});
  }
};

TEST_F(tcp_transport, a_wildcard_is_every_ipv4_address) {
  EXPECT_TRUE(reaches("tcp://*:*", "127.0.0.1"));
  EXPECT_TRUE(reaches("tcp://*:*", "127.0.0.2"));
  EXPECT_TRUE(reaches("tcp://127.0.0.1:*", "127.0.0.1"));
  EXPECT_FALSE(reaches("tcp://127.0.0.1:*", "127.0.0.2"));
}

TEST_F(tcp_transport, wildcards_have_one_family_unless_both_are_enabled) {
  if (!has_ipv6()) {
    GTEST_SKIP() << "this machine has no IPv6";
  }
  EXPECT_FALSE(reaches("tcp://*:*", "::1"));
  EXPECT_FALSE(reaches("tcp://[::]:*", "127.0.0.1"));
  EXPECT_TRUE(reaches("tcp://[::]:*", "::1"));
  for (const auto* where : {"tcp://*:*", "tcp://[::]:*"}) {
    EXPECT_TRUE(reaches(where, "127.0.0.1", true)) << where;
    EXPECT_TRUE(reaches(where, "::1", true)) << where;
  }
  EXPECT_FALSE(reaches("tcp://[::1]:*", "127.0.0.1", true));
}

TEST_F(tcp_transport, both_wildcards_can_be_bound_at_one_port) {
  if (!has_ipv6()) {
    GTEST_SKIP() << "this machine has no IPv6";
  }
  acceptor four{executor(), {}};
  ASSERT_EQ(four.open(at("tcp://*:*"), backlog), error_code{});
  acceptor six{executor(), {}};
  EXPECT_EQ(six.open({tcp_address{"::", four.bound().tcp()->port}}, backlog), error_code{});
}

TEST_F(tcp_transport, interfaces_are_bound_by_their_names) {
  EXPECT_TRUE(reaches("tcp://lo:*", "127.0.0.1"));
  EXPECT_FALSE(reaches("tcp://lo:*", "127.0.0.2"));
  acceptor a{executor(), {}};
  ASSERT_EQ(a.open(at("tcp://lo:*"), backlog), error_code{});
  EXPECT_EQ(a.bound().tcp()->host, "127.0.0.1");
}

TEST_F(tcp_transport, addresses_of_one_link_have_its_scope) {
  const auto address = link_local_address();
  if (address.empty()) {
    GTEST_SKIP() << "this machine has no address of a link";
  }
  const auto text = "tcp://[" + address + "]:*";
  EXPECT_TRUE(reaches(text, address));
  EXPECT_TRUE(meet(text).accepted->remote().address.starts_with("[" + address + "]:"));
}

TEST_F(tcp_transport, host_names_cannot_be_bound) {
  for (const auto* where : {"tcp://example.org:*", "tcp://no-such-interface:*", "tcp://lo.1:*"}) {
    acceptor a{executor(), {}};
    EXPECT_EQ(a.open(at(where), backlog), errc::unknown_interface) << where;
  }
}

TEST_F(tcp_transport, own_addresses_are_ipv4_first) {
  using asio::ip::address_v4;
  ASSERT_FALSE(own_addresses("lo", 7).empty());
  EXPECT_EQ(own_addresses("lo", 7).front(), (asio::ip::tcp::endpoint{address_v4::loopback(), 7}));
  EXPECT_EQ(own_addresses("*", 7).front(), (asio::ip::tcp::endpoint{address_v4::any(), 7}));
  EXPECT_EQ(own_addresses("localhost", 7).front().address(), address_v4::loopback());
  EXPECT_TRUE(own_addresses("example.org", 7).empty());
}

TEST_F(tcp_transport, connections_use_the_given_source_address) {
  EXPECT_TRUE(comes_from({"127.0.0.2", 0}).starts_with("127.0.0.2:"));
  EXPECT_TRUE(comes_from({"lo", 0}).starts_with("127.0.0.1:"));
  EXPECT_TRUE(comes_from({"localhost", 0}).starts_with("127.0.0.1:"));
  EXPECT_TRUE(comes_from({"*", 0}).starts_with("127.0.0.1:"));
}

TEST_F(tcp_transport, connections_use_the_given_source_port) {
  // An address that no interface has.
  acceptor a{executor(), {}};
  ASSERT_EQ(a.open(at("tcp://127.0.0.3:*"), backlog), error_code{});
  const auto port = a.bound().tcp()->port;
  a.close();
  const auto from = "127.0.0.3:" + std::to_string(port);
  EXPECT_EQ(comes_from({"127.0.0.3", port}), from);
  EXPECT_EQ(comes_from({"127.0.0.3", port}), from) << "once more, so soon after the first";
}

TEST_F(tcp_transport, connections_from_an_impossible_source_fail) {
  EXPECT_EQ(fails_from({"203.0.113.1", 0}), boost::system::errc::address_not_available);
  EXPECT_EQ(fails_from({"no-such-interface", 0}), errc::unknown_interface);
  EXPECT_EQ(fails_from({"example.org", 0}), errc::unknown_interface);
  EXPECT_EQ(fails_from({"::1", 0}), asio::error::address_family_not_supported);
}

}  // namespace
}  // namespace zmtp::test
