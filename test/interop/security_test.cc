// PLAIN and CURVE with libzmq in either part: accepted and refused credentials, and heartbeats. Each pair of
// socket types with CURVE is in conformance_matrix_test.

#include "test/interop/matrix_end.h"
#include "test/interop/two_sides.h"
#include "test/interop/zap_handler.h"
#include "zmtp/authenticator.h"
#include "zmtp/mechanism/curve.h"
#include "zmtp/runtime/runtime.h"
#include "zmtp/socket/monitor.h"
#include "zmtp/socket/pubsub_sockets.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;
using asio::use_awaitable;
using libzmq::zap_handler;

constexpr int turned_away = ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                            ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;

// Accepts one name and password.
class password_check final : public authenticator {
public:
  void authenticate(const peer_info& peer, const credentials& shown, handler done) override {
    const auto* const plain = std::get_if<plain_credentials>(&shown);
    EXPECT_EQ(peer.mechanism, "PLAIN");
    if (plain != nullptr && plain->username == "admin" && plain->password == "secret") {
      std::move(done)(principal{.user_id = plain->username});
    } else {
      std::move(done)(refusal{.status = "400"});
    }
  }
};

std::string check_password(const std::string& mechanism, const parts& credentials) {
  return mechanism == "PLAIN" && credentials == parts{"admin", "secret"} ? "200" : "400";
}

curve_key_pair new_keys() {
  return make_key_pair([](std::span<std::byte> to) { runtime::system().random(to); });
}

class security : public testing::TestWithParam<binder> {
protected:
  static socket_options announcing() {
    socket_options options;
    options.announce_peers = true;
    return options;
  }
  static socket_options plain_server() {
    auto options = announcing();
    options.security = plain_server_security{};
    options.authenticator = std::make_shared<password_check>();
    return options;
  }
  static socket_options plain_client(std::string password) {
    socket_options options;
    options.security = plain_client_security{"admin", std::move(password)};
    return options;
  }
  static void plain_client(libzmq::socket& theirs, std::string_view password) {
    theirs.set(ZMQ_PLAIN_USERNAME, "admin");
    theirs.set(ZMQ_PLAIN_PASSWORD, password);
  }

  // Waits for the end of an attempt, and returns its event.
  static asio::awaitable<void> wait_for(monitor& events, monitor_event::kind what,
                                        monitor_event& found) {
    do {
      found = co_await events.async_receive(use_awaitable);
    } while (found.what != what);
  }
  // Sends a message there and back.
  static asio::awaitable<void> echo(router_socket& ours) {
    routed_message m;
    do {
      m = co_await ours.async_receive(use_awaitable);
    } while (m.what != routed_message::kind::message);
    co_await ours.async_send(m.peer, std::move(m.content), use_awaitable);
  }
  static asio::awaitable<void> ask(dealer_socket& ours) {
    message m{"hello"};
    co_await ours.async_send(std::move(m), use_awaitable);
    const message reply = co_await ours.async_receive(use_awaitable);
    EXPECT_EQ(to_parts(reply), parts{"hello"});
  }
  static void ask(libzmq::socket& theirs) {
    theirs.send({"hello"});
    EXPECT_EQ(theirs.receive(), parts{"hello"});
  }
  static void echo(libzmq::socket& theirs) { theirs.send(theirs.receive()); }

  two_sides sides;
};

TEST_P(security, our_plain_server_accepts_a_password) {  // Z-15
  router_socket ours{sides.executor(), plain_server()};
  libzmq::socket theirs{sides.theirs(), ZMQ_DEALER};
  plain_client(theirs, "secret");
  join(GetParam(), ours, theirs);
  sides.run([&] { return echo(ours); }, [&] { ask(theirs); });
  ASSERT_EQ(ours.peers().size(), 1U);
  EXPECT_EQ(ours.peers().at(0).info.user_id, "admin");
  EXPECT_EQ(ours.peers().at(0).info.mechanism, "PLAIN");
}

TEST_P(security, our_plain_server_refuses_a_password) {  // Z-15
  router_socket ours{sides.executor(), plain_server()};
  auto watched = ours.monitor();
  libzmq::socket theirs{sides.theirs(), ZMQ_DEALER};
  plain_client(theirs, "guess");
  libzmq::monitor events{sides.theirs(), theirs};
  join(GetParam(), ours, theirs);
  monitor_event refused;
  sides.run([&] { return wait_for(watched, monitor_event::kind::refused, refused); },
            [&] { events.wait(turned_away); });
  EXPECT_EQ(refused.reason, errc::not_admitted);
  EXPECT_TRUE(ours.peers().empty());
}

TEST_P(security, our_plain_client_is_accepted) {  // Z-15
  const zap_handler zap{sides.theirs(), check_password};
  dealer_socket ours{sides.executor(), plain_client("secret")};
  libzmq::socket theirs{sides.theirs(), ZMQ_DEALER};
  theirs.set(ZMQ_PLAIN_SERVER, 1);
  join(GetParam(), ours, theirs);
  sides.run([&] { return ask(ours); }, [&] { echo(theirs); });
  EXPECT_EQ(ours.peers().at(0).info.mechanism, "PLAIN");
}

TEST_P(security, our_plain_client_is_refused) {  // Z-15
  const zap_handler zap{sides.theirs(), check_password};
  dealer_socket ours{sides.executor(), plain_client("guess")};
  auto watched = ours.monitor();
  libzmq::socket theirs{sides.theirs(), ZMQ_DEALER};
  theirs.set(ZMQ_PLAIN_SERVER, 1);
  join(GetParam(), ours, theirs);
  monitor_event refused;
  sides.run_ours([&] { return wait_for(watched, monitor_event::kind::refused, refused); });
  EXPECT_EQ(refused.reason, errc::refused_by_peer);
  EXPECT_EQ(refused.peer_error, "400");
}

TEST_P(security, a_libzmq_plain_server_without_a_handler_refuses_us) {  // Z-15
  dealer_socket ours{sides.executor(), plain_client("secret")};
  auto watched = ours.monitor();
  libzmq::socket theirs{sides.theirs(), ZMQ_DEALER};
  theirs.set(ZMQ_PLAIN_SERVER, 1);
  join(GetParam(), ours, theirs);
  monitor_event failed;
  sides.run_ours([&]() -> asio::awaitable<void> {
    do {
      failed = co_await watched.async_receive(use_awaitable);
    } while (failed.what != monitor_event::kind::refused &&
             failed.what != monitor_event::kind::handshake_failed);
  });
  EXPECT_TRUE(ours.peers().empty());
}

TEST_P(security, a_curve_server_knows_the_key_of_its_client) {  // Z-16
  router_socket ours{sides.executor(), secured(announcing(), security_side::curve_server)};
  libzmq::socket theirs{sides.theirs(), ZMQ_DEALER};
  secure(theirs, security_side::curve_client);
  join(GetParam(), ours, theirs);
  sides.run([&] { return echo(ours); }, [&] { ask(theirs); });
  ASSERT_EQ(ours.peers().size(), 1U);
  const auto info = ours.peers().at(0).info;
  EXPECT_EQ(info.mechanism, "CURVE");
  EXPECT_EQ(info.user_id, "client");
  EXPECT_EQ(to_z85(info.public_key.value()), client_public_key);
}

TEST_P(security, our_curve_server_refuses_an_unknown_client) {  // Z-16
  router_socket ours{sides.executor(), secured(announcing(), security_side::curve_server)};
  auto watched = ours.monitor();
  libzmq::socket theirs{sides.theirs(), ZMQ_DEALER};
  secure(theirs, security_side::curve_client);
  const auto keys = new_keys();
  theirs.set(ZMQ_CURVE_PUBLICKEY, to_z85(keys.public_key));
  theirs.set(ZMQ_CURVE_SECRETKEY, to_z85(keys.secret_key));
  libzmq::monitor events{sides.theirs(), theirs};
  join(GetParam(), ours, theirs);
  monitor_event refused;
  sides.run([&] { return wait_for(watched, monitor_event::kind::refused, refused); },
            [&] { events.wait(ZMQ_EVENT_HANDSHAKE_FAILED_AUTH); });
  EXPECT_EQ(refused.reason, errc::not_admitted);
  EXPECT_EQ(refused.info.public_key, keys.public_key);
  EXPECT_TRUE(ours.peers().empty());
}

TEST_P(security, our_curve_server_closes_a_client_with_a_wrong_server_key) {  // Z-16
  router_socket ours{sides.executor(), secured(announcing(), security_side::curve_server)};
  auto watched = ours.monitor();
  libzmq::socket theirs{sides.theirs(), ZMQ_DEALER};
  secure(theirs, security_side::curve_client);
  theirs.set(ZMQ_CURVE_SERVERKEY, to_z85(new_keys().public_key));
  libzmq::monitor events{sides.theirs(), theirs};
  join(GetParam(), ours, theirs);
  monitor_event refused;
  sides.run([&] { return wait_for(watched, monitor_event::kind::refused, refused); },
            [&] { events.wait(turned_away); });
  EXPECT_EQ(refused.reason, errc::box_not_opened);
}

TEST_P(security, our_curve_client_does_not_reach_a_server_with_another_key) {  // Z-16
  auto options = secured({}, security_side::curve_client);
  options.security = curve_client({.server_key = new_keys().public_key, .keys = new_keys()});
  dealer_socket ours{sides.executor(), options};
  libzmq::socket theirs{sides.theirs(), ZMQ_DEALER};
  secure(theirs, security_side::curve_server);
  libzmq::monitor events{sides.theirs(), theirs};
  join(GetParam(), ours, theirs);
  sides.run_theirs([&] { events.wait(turned_away); });
  EXPECT_TRUE(ours.peers().empty());
}

TEST_P(security, libzmq_decides_about_our_curve_client) {  // Z-16
  const auto keys = new_keys();
  const auto key_bytes = std::string{reinterpret_cast<const char*>(keys.public_key.data()), 32};
  for (const std::string status : {"200", "300", "400", "500"}) {
    SCOPED_TRACE(status);
    two_sides apart;
    const zap_handler zap{apart.theirs(), [&](const std::string& mechanism, const parts& shown) {
                            return mechanism == "CURVE" && shown == parts{key_bytes} ? status
                                                                                     : "400";
                          }};
    libzmq::socket theirs{apart.theirs(), ZMQ_DEALER};
    secure(theirs, security_side::curve_server);
    auto options = secured({}, security_side::curve_client);
    options.security =
        curve_client({.server_key = parse_public_key(server_public_key).value(), .keys = keys});
    dealer_socket ours{apart.executor(), options};
    auto watched = ours.monitor();
    join(GetParam(), ours, theirs);
    if (status == "200") {
      apart.run([&] { return ask(ours); }, [&] { echo(theirs); });
      EXPECT_EQ(to_z85(ours.peers().at(0).info.public_key.value()), server_public_key);
      continue;
    }
    monitor_event ended;
    const auto what =
        status == "300" ? monitor_event::kind::handshake_failed : monitor_event::kind::refused;
    apart.run_ours([&] { return wait_for(watched, what, ended); });
    EXPECT_EQ(ended.peer_error, status == "300" ? "" : status);
  }
}

TEST_P(security, a_curve_server_may_allow_any_client) {  // Z-16
  const auto keys = new_keys();
  auto options = announcing();
  options.security = curve_server({.keys = keys, .allow_any_client = true});
  router_socket ours{sides.executor(), options};
  libzmq::socket theirs{sides.theirs(), ZMQ_DEALER};
  secure(theirs, security_side::curve_client);
  theirs.set(ZMQ_CURVE_SERVERKEY, to_z85(keys.public_key));
  join(GetParam(), ours, theirs);
  sides.run([&] { return echo(ours); }, [&] { ask(theirs); });
}

// Either side may be the first to see that the mechanisms differ.
TEST_P(security, a_peer_without_the_mechanism_is_turned_away) {  // Z-4
  for (const auto by : {security_side::curve_server, security_side::curve_client}) {
    two_sides apart;
    router_socket ours{apart.executor(), secured(announcing(), by)};
    libzmq::socket plain{apart.theirs(), ZMQ_DEALER};
    plain_client(plain, "secret");
    libzmq::monitor events{apart.theirs(), plain};
    join(GetParam(), ours, plain);
    apart.run_theirs([&] { events.wait(turned_away); });
    EXPECT_TRUE(ours.peers().empty());
  }
}

// A busy machine may keep our side from answering for a while.
constexpr std::chrono::milliseconds timeout{500};

TEST_P(security, heartbeats_of_both_sides_travel_in_boxes) {  // Z-9
  for (const bool we_serve : {true, false}) {
    two_sides apart;
    auto options =
        secured({}, we_serve ? security_side::curve_server : security_side::curve_client);
    options.heartbeat = {
        .interval = 20ms, .timeout = timeout, .ttl = std::chrono::seconds{2}, .strict = true};
    router_socket ours{apart.executor(), options};
    libzmq::socket theirs{apart.theirs(), ZMQ_DEALER};
    secure(theirs, we_serve ? security_side::curve_client : security_side::curve_server);
    theirs.set(ZMQ_HEARTBEAT_IVL, 50);
    theirs.set(ZMQ_HEARTBEAT_TIMEOUT, static_cast<int>(timeout.count()));
    theirs.set(ZMQ_HEARTBEAT_TTL, 2'000);
    libzmq::monitor events{apart.theirs(), theirs};
    join(GetParam(), ours, theirs);
    apart.run([&] { return echo(ours); },
              [&] {
                events.wait(ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
                EXPECT_EQ(events.wait_within(ZMQ_EVENT_DISCONNECTED, 3 * timeout), std::nullopt);
                ask(theirs);
              });
    EXPECT_EQ(ours.counters().ended[static_cast<std::size_t>(errc::heartbeat_timeout)], 0U);
    // While our side does not run, it does not answer. This shows that our answers kept the connection
    // alive above.
    EXPECT_TRUE(events.wait_within(ZMQ_EVENT_DISCONNECTED, 10s));
  }
}

// libzmq 4.3.4 never sends the subscriptions of a SUB that binds with CURVE, so this one connects.
TEST(secured_publisher, subscriptions_travel_in_boxes) {  // Z-7
  two_sides sides;
  xpub_socket ours{sides.executor(), secured({}, security_side::curve_server)};
  libzmq::socket theirs{sides.theirs(), ZMQ_SUB};
  secure(theirs, security_side::curve_client);
  join(binder::ours, ours, theirs);
  const auto hear = [&](std::string expected) -> asio::awaitable<void> {
    const routed_message notice = co_await ours.async_receive(use_awaitable);
    EXPECT_EQ(notice.content.front(), expected);
  };
  sides.run([&] { return hear("\1topic"); }, [&] { theirs.set(ZMQ_SUBSCRIBE, "topic"); });
  sides.run([&] { return hear(std::string("\0topic", 6)); },
            [&] { theirs.set(ZMQ_UNSUBSCRIBE, "topic"); });
}

INSTANTIATE_TEST_SUITE_P(both_ways, security, testing::Values(binder::ours, binder::theirs),
                         [](const auto& who) { return to_string(who.param); });

}  // namespace
}  // namespace zmtp::test
