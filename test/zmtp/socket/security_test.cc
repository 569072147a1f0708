// PLAIN and CURVE over loopback: who binds, and who is admitted.

#include "test/support/certificates.h"
#include "test/support/curve_forger.h"
#include "test/support/monitored_test.h"
#include "test/support/raw_peer.h"
#include "test/support/wire.h"
#include "test/zmtp/socket/security_fixture.h"
#include "zmtp/socket/pipeline_sockets.h"
#include "zmtp/socket/pubsub_sockets.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp::test {
namespace {

using event_kind = monitor_event::kind;

message of_some_size(std::size_t n) {
  constexpr std::size_t sizes[] = {0, 1, 200, 255, 256, 8'000, 70'000, 300'000};
  return {std::to_string(n), std::string(sizes[n % std::size(sizes)], static_cast<char>(n)), ""};
}

struct mechanism_case {
  std::string_view name;
  socket_options (*server)();
  socket_options (*client)();
};

class secure_sockets : public monitored_test {};

class each_mechanism : public secure_sockets, public testing::WithParamInterface<mechanism_case> {};

TEST_P(each_mechanism, messages_of_all_sizes_come_in_order) {
  for (const bool server_binds : {true, false}) {
    for (const auto over : {medium::tcp, medium::ipc, medium::ws, medium::tls, medium::wss}) {
      const auto server = with_tls(GetParam().server());
      const auto client = with_tls(GetParam().client());
      push_socket push{executor(), server_binds ? client : server};
      pull_socket pull{executor(), server_binds ? server : client};
      join(pull, push, over);
      constexpr std::size_t count = 100;
      std::size_t sent = 0;
      for (std::size_t received = 0; received < count; ++received) {
        while (sent < count && push.try_send(of_some_size(sent)) == send_status::queued) {
          ++sent;
        }
        ASSERT_TRUE(take(pull) == of_some_size(received)) << received;
      }
    }
  }
}

TEST_P(each_mechanism, requests_and_subscriptions_pass_through_it) {
  req_socket req{executor(), GetParam().client()};
  rep_socket rep{executor(), GetParam().server()};
  join(rep, req);
  put(req, {"question"});
  EXPECT_EQ(take(rep), message{"question"});
  put(rep, {"answer"});
  EXPECT_EQ(take(req), message{"answer"});

  xpub_socket publisher{executor(), GetParam().server()};
  sub_socket subscriber{executor(), GetParam().client()};
  join(publisher, subscriber);
  subscriber.subscribe("A");
  routed_message notice;
  run_until([&] { return publisher.try_receive(notice); });
  EXPECT_EQ(notice.content, message{"\1A"});
  EXPECT_EQ(publisher.try_send({"A", "wanted"}), send_status::queued);
  EXPECT_EQ(take(subscriber), (message{"A", "wanted"}));
}

TEST_P(each_mechanism, a_server_without_an_authenticator_neither_binds_nor_connects) {
  auto options = GetParam().server();
  const auto whom = std::exchange(options.authenticator, nullptr);
  router_socket router{executor(), options};
  error_code ec;
  router.bind("tcp://127.0.0.1:*", ec);
  EXPECT_EQ(ec, errc::authenticator_missing);
  EXPECT_THROW(router.bind("tcp://127.0.0.1:*"), boost::system::system_error);
  router.bind(free_endpoint(medium::ipc), ec);
  EXPECT_EQ(ec, errc::authenticator_missing);
  router.connect("tcp://127.0.0.1:9", ec);
  EXPECT_EQ(ec, errc::authenticator_missing);
  router.bind("inproc://no-mechanism", ec);
  EXPECT_FALSE(ec);
  options.authenticator = whom;
  router.set_options(options);
  router.bind("tcp://127.0.0.1:*", ec);
  EXPECT_FALSE(ec);
  // The authenticator stays while the socket is used.
  options.authenticator = nullptr;
  EXPECT_THROW(router.set_options(options), boost::system::system_error);
}

TEST_P(each_mechanism, the_receiver_of_a_message_knows_its_sender) {
  router_socket router{executor(), GetParam().server()};
  auto announcing = GetParam().client();
  announcing.extensions = {"site-oslo"};
  dealer_socket dealer{executor(), announcing};
  auto watched = router.monitor();
  join(router, dealer);
  put(dealer, {"hello"});
  routed_message m;
  run_until([&] { return router.try_receive(m); });
  const auto at_server = router.peers().at(0).info;
  EXPECT_EQ(at_server.mechanism, GetParam().name);
  EXPECT_EQ(at_server.user_id, "alice");
  const bool curve = GetParam().name == "CURVE";
  EXPECT_EQ(at_server.public_key, curve ? std::optional{client_keys.public_key} : std::nullopt);
  const auto attached = next(watched, event_kind::attached).info;
  for (const auto* info : {&at_server, &attached, router.info(m.peer)}) {
    ASSERT_NE(info, nullptr);
    ASSERT_NE(info->properties.find("X-Zinc"), nullptr);
    EXPECT_EQ(*info->properties.find("X-Zinc"), "site-oslo");
  }
  EXPECT_EQ(attached.mechanism, GetParam().name);
  EXPECT_EQ(attached.user_id, "alice");
  EXPECT_EQ(attached.public_key, at_server.public_key);
  const auto at_client = dealer.peers().at(0).info;
  EXPECT_EQ(at_client.mechanism, GetParam().name);
  EXPECT_EQ(at_client.public_key, curve ? std::optional{server_keys.public_key} : std::nullopt);
}

TEST_P(each_mechanism, a_peer_without_it_is_refused) {
  pull_socket pull{executor(), GetParam().server()};
  auto watched = pull.monitor();
  const auto other = GetParam().name == "CURVE" ? plain_client_options() : client_of_curve();
  for (const auto& options : {impatient(), other}) {
    push_socket push{executor(), options};
    join(pull, push);
    EXPECT_EQ(next(watched, event_kind::refused).reason, errc::mechanism_mismatch);
  }
  EXPECT_TRUE(pull.peers().empty());
}

// The client shows its messages to no server before the handshake is done, and a server shows its
// own to no client.
TEST_P(each_mechanism, a_client_sees_nothing_before_it_is_admitted) {
  push_socket push{executor(), GetParam().server()};
  const auto at = push.bind("tcp://127.0.0.1:*");
  raw_peer stranger{context()};
  stranger.connect(at);
  stranger.start_reading();
  stranger.send(greeting_of(3, 1, std::string{GetParam().name}));
  run_until([&] { return stranger.received().size() == 64; });
  EXPECT_EQ(push.try_send({"secret"}), send_status::full) << "no peer is attached";
  stranger.send(ready_of("PULL"));
  run_until([&] { return stranger.ended(); });
  EXPECT_EQ(stranger.received().size(), 64U);
}

INSTANTIATE_TEST_SUITE_P(each, each_mechanism,
                         testing::Values(mechanism_case{"PLAIN", plain_server_options,
                                                        +[] { return plain_client_options(); }},
                                         mechanism_case{"CURVE", server_of_curve, client_of_curve}),
                         [](const auto& c) { return std::string{c.param.name}; });

TEST_F(secure_sockets, a_wrong_password_is_refused_on_both_sides) {
  router_socket router{executor(), plain_server_options()};
  dealer_socket dealer{executor(), plain_client_options("guess")};
  auto at_server = router.monitor();
  auto at_client = dealer.monitor();
  join(router, dealer);
  EXPECT_EQ(next(at_server, event_kind::refused).reason, errc::not_admitted);
  const auto event = next(at_client, event_kind::refused);
  EXPECT_EQ(event.reason, errc::refused_by_peer);
  EXPECT_EQ(event.peer_error, "400");
}

TEST_F(secure_sockets, a_server_may_allow_any_client) {
  auto options = impatient();
  options.security = curve_server({.keys = server_keys, .allow_any_client = true});
  pull_socket pull{executor(), options};
  push_socket push{executor(), client_of(server_keys.public_key, other_keys)};
  join(pull, push);
  put(push, {"hello"});
  EXPECT_EQ(take(pull), message{"hello"});
  EXPECT_EQ(pull.peers().at(0).info.public_key, other_keys.public_key);
}

TEST_F(secure_sockets, an_unknown_key_is_refused_until_it_is_allowed) {
  auto options = server_of_curve();
  const auto keys = std::make_shared<allowed_keys>();
  options.authenticator = keys;
  pull_socket pull{executor(), options};
  push_socket push{executor(), client_of_curve()};
  auto at_server = pull.monitor();
  auto at_client = push.monitor();
  join(pull, push);
  const auto refused = next(at_server, event_kind::refused);
  EXPECT_EQ(refused.reason, errc::not_admitted);
  EXPECT_EQ(refused.info.public_key, client_keys.public_key);
  EXPECT_EQ(next(at_client, event_kind::refused).peer_error, "400");
  keys->allow(client_keys.public_key, "late");
  put(push, {"hello"});
  EXPECT_EQ(take(pull), message{"hello"});
  EXPECT_EQ(pull.peers().at(0).info.user_id, "late");
  // A revoked key does not return.
  keys->revoke(client_keys.public_key);
  for (monitor_event earlier; at_server.try_receive(earlier);) {
  }
  pull.disconnect(pull.peers().at(0).id);
  EXPECT_EQ(next(at_server, event_kind::refused).reason, errc::not_admitted);
}

TEST_F(secure_sockets, a_client_with_a_wrong_server_key_is_refused) {
  pull_socket pull{executor(), server_of_curve()};
  auto at_server = pull.monitor();
  push_socket push{executor(), client_of(other_keys.public_key)};
  auto at_client = push.monitor();
  join(pull, push);
  EXPECT_EQ(next(at_server, event_kind::refused).reason, errc::box_not_opened);
  EXPECT_EQ(next(at_client, event_kind::handshake_failed).reason, errc::connection_lost);
}

// Each command of a client with a byte changed.
TEST_F(secure_sockets, a_changed_handshake_ends_only_this_connection) {
  pull_socket pull{executor(), server_of_curve()};
  auto watched = pull.monitor();
  const auto at = pull.bind("tcp://127.0.0.1:*");
  push_socket good{executor(), client_of_curve()};
  good.connect(at.to_string());
  put(good, {"good"});
  EXPECT_EQ(take(pull), message{"good"});
  const auto changed = [](std::string body) {
    body.back() = static_cast<char>(body.back() ^ 1);
    return frame(command, body);
  };
  for (const bool at_hello : {true, false}) {
    const curve_forger peer;
    raw_peer bad{context()};
    bad.connect(at);
    bad.start_reading();
    bad.send(greeting_of(3, 1, "CURVE"));
    if (at_hello) {
      bad.send(changed(peer.hello()));
    } else {
      bad.send(frame(command, peer.hello()));
      std::string welcome;
      run_until([&] {
        const auto said =
            content_of(bad.received().substr(std::min<std::size_t>(bad.received().size(), 64)));
        welcome = said.commands.empty() ? "" : said.commands.front();
        return !welcome.empty();
      });
      bad.send(changed(peer.initiate(welcome)));
    }
    EXPECT_EQ(next(watched, event_kind::refused).reason, errc::box_not_opened);
    run_until([&] { return bad.ended(); });
    EXPECT_EQ(pull.peers().size(), 1U);
    put(good, {"still good"});
    EXPECT_EQ(take(pull), message{"still good"});
  }
}

TEST_F(secure_sockets, a_forged_server_does_not_disturb_the_right_one) {
  pull_socket pull{executor(), server_of_curve()};
  push_socket push{executor(), client_of_curve()};
  auto watched = push.monitor();
  raw_listener forged{context()};
  raw_peer bad{context()};
  forged.start_accepting(bad);
  push.connect(forged.endpoint());
  push.connect(pull.bind("tcp://127.0.0.1:*").to_string());
  run_until([&] { return forged.accepted(); });
  auto greeting = greeting_of(3, 1, "CURVE");
  greeting[32] = '\1';  // it serves
  bad.send(greeting + framed_command("WELCOME", std::string(160, 'x')));
  EXPECT_EQ(next(watched, event_kind::refused).reason, errc::box_not_opened);
  error_code ec;
  push.disconnect(forged.endpoint(), ec);
  EXPECT_FALSE(ec);
  put(push, {"hello"});
  EXPECT_EQ(take(pull), message{"hello"});
  EXPECT_EQ(push.peers().size(), 1U);
}

// The options of a handshake are those of its start: a change cannot admit a peer that waits for
// the authenticator.
TEST_F(secure_sockets, a_change_of_options_does_not_admit_a_waiting_peer) {
  std::vector<authenticator::handler> waiting;
  struct slow final : authenticator {
    explicit slow(std::vector<handler>& to) : waiting{to} {}
    void authenticate(const peer_info&, const credentials&, handler done) override {
      waiting.push_back(std::move(done));
    }
    std::vector<handler>& waiting;
  };
  auto options = plain_server_options();
  options.authenticator = std::make_shared<slow>(waiting);
  pull_socket pull{executor(), options};
  push_socket push{executor(), plain_client_options()};
  join(pull, push);
  run_until([&] { return !waiting.empty(); });
  pull.set_options(impatient());
  EXPECT_TRUE(pull.peers().empty());
  auto watched = pull.monitor();
  std::move(waiting.front())(authenticator::refusal{});
  EXPECT_EQ(next(watched, event_kind::refused).reason, errc::not_admitted);
  EXPECT_TRUE(pull.peers().empty());
}

}  // namespace
}  // namespace zmtp::test
