// Endpoints to bind and to connect to, good ones and bad ones.

#include "test/support/machine.h"
#include "test/support/network_test.h"

#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace zmtp::test {
namespace {

class endpoints : public network_test {
protected:
  // Whether a message comes through.
  void expect_connectable(router_socket& router, const std::string& at) {
    dealer_socket dealer{executor()};
    dealer.connect(at);
    EXPECT_EQ(dealer.try_send(message{at}), send_status::queued);
    EXPECT_EQ(receive(router).content, message{at});
  }
  void expect_refused(const std::string& at) {
    asio::ip::tcp::socket probe{context()};
    const auto parsed = *endpoint::parse(at)->tcp();
    error_code ec;
    probe.connect({asio::ip::make_address(parsed.host), parsed.port}, ec);
    EXPECT_EQ(ec, asio::error::connection_refused);
  }
  static std::uint16_t port_of(const endpoint& bound) { return bound.tcp()->port; }
};

TEST_F(endpoints, a_bound_endpoint_can_be_connected_to) {
  for (const auto* text : {"tcp://*:*", "tcp://*:0", "tcp://0.0.0.0:*", "tcp://127.0.0.1:*",
                           "tcp://127.0.0.1:0", "tcp://localhost:*"}) {
    router_socket router{executor()};
    const auto bound = router.bind(text);
    EXPECT_NE(port_of(bound), 0) << text;
    EXPECT_TRUE(bound.connectable()) << text;
    expect_connectable(router, bound.to_string());
    expect_connectable(router, "tcp://localhost:" + std::to_string(port_of(bound)));
    expect_connectable(router, "tcp://127.0.0.1:" + std::to_string(port_of(bound)));
  }
}

TEST_F(endpoints, ipv6_endpoints_work) {
  if (!has_ipv6()) {
    GTEST_SKIP() << "this machine has no IPv6";
  }
  for (const auto* text : {"tcp://[::1]:*", "tcp://[::]:*"}) {
    router_socket router{executor()};
    const auto bound = router.bind(text);
    EXPECT_TRUE(bound.connectable());
    expect_connectable(router, bound.to_string());
    // "localhost" also has another address, and the resolver returns both.
    expect_connectable(router, "tcp://localhost:" + std::to_string(port_of(bound)));
  }
}

TEST_F(endpoints, names_are_resolved) {
  router_socket router{executor()};
  const auto bound = router.bind("tcp://127.0.0.1:*");
  // A name for this library, and an address for every resolver.
  expect_connectable(router, "tcp://0x7f000001:" + std::to_string(port_of(bound)));
}

TEST_F(endpoints, a_fixed_port_can_be_bound) {
  router_socket first{executor()};
  const auto at = first.bind("tcp://127.0.0.1:*").to_string();
  error_code ec;
  first.unbind(at, ec);
  EXPECT_FALSE(ec);
  router_socket second{executor()};
  EXPECT_EQ(second.bind(at).to_string(), at);
  expect_connectable(second, at);
}

TEST_F(endpoints, in_use_are_an_error_and_leave_the_socket_usable) {
  router_socket first{executor()};
  router_socket second{executor()};
  const auto at = first.bind("tcp://127.0.0.1:*").to_string();
  error_code ec;
  EXPECT_EQ(second.bind(at, ec), endpoint{});
  EXPECT_EQ(ec, asio::error::address_in_use);
  try {
    second.bind(at);
    FAIL() << "did not throw";
  } catch (const boost::system::system_error& e) {
    EXPECT_EQ(e.code(), asio::error::address_in_use);
    EXPECT_NE(std::string{e.what()}.find(at), std::string::npos) << e.what();
  }
  expect_connectable(second, second.bind("tcp://127.0.0.1:*").to_string());
  expect_connectable(first, at);
}

TEST_F(endpoints, an_exception_names_the_endpoint_and_the_failure_once) {
  router_socket router{executor()};
  const auto text_of = [](auto&& call) -> std::string {
    try {
      call();
    } catch (const boost::system::system_error& e) {
      return e.what();
    }
    return {};
  };
  for (const std::string at : {"nonsense", "tcp://no.such.host:1", "ipc:///dev/null"}) {
    const auto text = text_of([&] { router.bind(at); });
    EXPECT_EQ(text.find("cannot bind " + at + ": "), 0U) << text;
    EXPECT_EQ(text.rfind("cannot"), 0U) << text;
  }
  const auto text = text_of([&] { router.connect("tcp://*:1"); });
  EXPECT_EQ(text.find("cannot connect to tcp://*:1: "), 0U) << text;
  EXPECT_EQ(text.rfind("cannot"), 0U) << text;
}

TEST_F(endpoints, malformed_endpoints_are_errors) {
  router_socket router{executor()};
  dealer_socket dealer{executor()};
  struct bad {
    const char* text;
    errc fault;
  };
  for (const auto& [text, fault] :
       {bad{"", errc::bad_endpoint}, bad{"127.0.0.1:5555", errc::bad_endpoint},
        bad{"tcp://127.0.0.1", errc::bad_endpoint},
        bad{"tcp://127.0.0.1:65536", errc::bad_endpoint}, bad{"tcp://:5555", errc::bad_endpoint},
        bad{"udp://127.0.0.1:1", errc::unknown_transport}}) {
    error_code ec;
    router.bind(text, ec);
    EXPECT_EQ(ec, fault) << text;
    dealer.connect(text, ec);
    EXPECT_EQ(ec, fault) << text;
    router.unbind(text, ec);
    EXPECT_EQ(ec, fault) << text;
    dealer.disconnect(text, ec);
    EXPECT_EQ(ec, fault) << text;
    EXPECT_THROW(router.bind(text), boost::system::system_error) << text;
    EXPECT_THROW(dealer.connect(text), boost::system::system_error) << text;
  }
}

TEST_F(endpoints, some_endpoints_can_only_be_bound_or_only_be_connected_to) {
  error_code ec;
  dealer_socket dealer{executor()};
  for (const auto* text : {"tcp://*:5555", "tcp://127.0.0.1:*", "tcp://127.0.0.1:0"}) {
    dealer.connect(text, ec);
    EXPECT_EQ(ec, errc::bad_endpoint) << text;
  }
  dealer.bind("tcp://a.name.of.a.host:0", ec);
  EXPECT_EQ(ec, errc::unknown_interface);
  dealer.bind("tcp://127.0.0.1;127.0.0.1:5555", ec);
  EXPECT_EQ(ec, errc::bad_endpoint);
  dealer.bind("tcp://203.0.113.1:0", ec);
  EXPECT_EQ(ec, boost::system::errc::address_not_available);
}

TEST_F(endpoints, unbind_accepts_the_given_and_the_returned_endpoint) {
  router_socket router{executor()};
  for (const std::string text : {"tcp://127.0.0.1:*", "tcp://*:*", "tcp://localhost:*"}) {
    error_code ec;
    auto bound = router.bind(text);
    router.unbind(text, ec);
    EXPECT_FALSE(ec) << text;
    expect_refused("tcp://127.0.0.1:" + std::to_string(port_of(bound)));
    bound = router.bind(text);
    router.unbind(bound.to_string(), ec);
    EXPECT_FALSE(ec) << text;
    expect_refused("tcp://127.0.0.1:" + std::to_string(port_of(bound)));
    router.unbind(bound.to_string(), ec);
    EXPECT_EQ(ec, errc::bad_endpoint) << "unbound twice";
  }
}

TEST_F(endpoints, unbound_endpoints_keep_their_peers) {
  router_socket router{executor(), announcing()};
  dealer_socket dealer{executor()};
  const auto at = router.bind("tcp://127.0.0.1:*").to_string();
  dealer.connect(at);
  const auto peer = receive(router).peer;
  error_code ec;
  router.unbind(at, ec);
  EXPECT_FALSE(ec);
  expect_refused(at);
  EXPECT_EQ(router.try_send(peer, message{"still there"}), send_status::queued);
  EXPECT_EQ(receive(dealer), message{"still there"});
}

TEST_F(endpoints, in_any_number) {
  router_socket router{executor(), announcing()};
  dealer_socket dealer{executor()};
  std::vector<std::string> all;
  for (int i = 0; i < 10; ++i) {
    all.push_back(router.bind("tcp://127.0.0.1:*").to_string());
    dealer.connect(all.back());
  }
  std::vector<peer_id> peers;
  for (std::size_t i = 0; i < all.size(); ++i) {
    peers.push_back(receive(router).peer);
  }
  // One message for each, in turn.
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(dealer.try_send(message{"m"}), send_status::queued);
  }
  std::vector<peer_id> senders;
  for (std::size_t i = 0; i < all.size(); ++i) {
    senders.push_back(receive(router).peer);
  }
  std::sort(peers.begin(), peers.end());
  std::sort(senders.begin(), senders.end());
  EXPECT_EQ(senders, peers);
}

TEST_F(endpoints, one_socket_can_bind_and_connect) {
  router_socket first{executor(), announcing()};
  router_socket second{executor(), announcing()};
  second.connect(first.bind("tcp://127.0.0.1:*").to_string());
  first.connect(second.bind("tcp://127.0.0.1:*").to_string());
  for (auto* socket : {&first, &second}) {
    EXPECT_EQ(receive(*socket).what, routed_message::kind::attached);
    EXPECT_EQ(receive(*socket).what, routed_message::kind::attached);
  }
}

}  // namespace
}  // namespace zmtp::test
