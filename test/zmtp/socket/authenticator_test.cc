// Peers wait unseen for the decision of an authenticator, and each decision reaches its peer.

#include "zmtp/authenticator.h"

#include "test/support/raw_peer.h"
#include "test/support/wire.h"
#include "test/zmtp/socket/authenticator_fixture.h"

#include <boost/asio/error.hpp>
#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace zmtp::test {
namespace {

using event_kind = monitor_event::kind;
using principal = authenticator::principal;
using refused = authenticator::refusal;

class at_a_router : public authentication {
protected:
  void come(raw_peer& who, std::string_view identity = {}) {
    who.connect(at);
    who.start_reading();
    who.shake_hands("DEALER", identity);
  }

  router_socket router{executor(), asking()};
  monitor watched = router.monitor();
  endpoint at = router.bind("tcp://127.0.0.1:*");
  raw_peer peer{context()};
};

TEST_F(at_a_router, a_peer_waits_unseen_until_it_is_accepted) {
  come(peer, "me");
  peer.send(framed({"early"}));
  wait_for_questions(1);
  settle();
  EXPECT_EQ(peer.received(), greeting_of(3, 1)) << "READY follows the decision";
  EXPECT_TRUE(router.peers().empty());
  EXPECT_EQ(router.find("me"), std::nullopt);
  routed_message m;
  EXPECT_FALSE(router.try_receive(m));
  const auto& about = *asked->questions.front();
  EXPECT_EQ(about.peer.type, socket_type::dealer);
  EXPECT_EQ(about.peer.routing_id, "me");
  EXPECT_TRUE(about.peer.address.starts_with("127.0.0.1:"));
  EXPECT_EQ(*about.peer.properties.find("Identity"), "me");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(about.shown));

  principal who{.user_id = "alice"};
  who.properties.add("X-Role", "admin");
  asked->answer(0, who);
  const auto attached = next(watched, event_kind::attached);
  EXPECT_EQ(attached.info.user_id, "alice");
  run_until([&] { return router.try_receive(m); });
  EXPECT_EQ(m.content.front(), "early");
  EXPECT_EQ(router.find("me"), m.peer);
  const auto info = router.peers().at(0).info;
  EXPECT_EQ(info.user_id, "alice");
  EXPECT_EQ(*info.user_properties.find("X-Role"), "admin");
  EXPECT_EQ(info.properties.find("X-Role"), nullptr);
}

TEST_F(at_a_router, a_refused_peer_gets_the_status_and_is_never_seen) {
  come(peer);
  peer.send(framed({"early"}));
  wait_for_questions(1);
  asked->answer(0, refused{.reason = asio::error::access_denied, .status = "400"});
  run_until([&] { return peer.ended(); });
  EXPECT_EQ(peer.received(), greeting_of(3, 1) + framed_command("ERROR", bytes("03 '400'")));
  EXPECT_EQ(next(watched, event_kind::refused).reason, asio::error::access_denied);
  EXPECT_EQ(router.counters().ended.at(static_cast<std::size_t>(errc::not_admitted)), 1U);
  routed_message m;
  EXPECT_FALSE(router.try_receive(m));
  EXPECT_TRUE(router.peers().empty());
}

TEST_F(at_a_router, a_status_is_three_digits_or_silence) {
  const std::pair<std::string, std::string> statuses[] = {
      {"", ""},
      {"300", framed_command("ERROR", bytes("03 '300'"))},
      {"40", framed_command("ERROR", bytes("03 '500'"))},
      {"4x0", framed_command("ERROR", bytes("03 '500'"))},
      {std::string(300, '4'), framed_command("ERROR", bytes("03 '500'"))},
  };
  for (const auto& [status, sent] : statuses) {
    SCOPED_TRACE(status);
    raw_peer other{context()};
    come(other);
    wait_for_questions(1);
    asked->answer(0, refused{.status = status});
    run_until([&] { return other.ended(); });
    EXPECT_EQ(other.received(), greeting_of(3, 1) + sent);
    EXPECT_EQ(next(watched, event_kind::refused).reason, errc::not_admitted);
  }
}

TEST_F(at_a_router, a_destroyed_handler_refuses_in_silence) {
  come(peer);
  wait_for_questions(1);
  asked->questions.clear();
  run_until([&] { return peer.ended(); });
  EXPECT_EQ(peer.received(), greeting_of(3, 1));
  EXPECT_EQ(next(watched, event_kind::refused).reason, errc::not_admitted);
}

TEST_F(at_a_router, answers_in_any_order_reach_their_peers) {
  raw_peer second{context()};
  raw_peer third{context()};
  come(peer, "1");
  wait_for_questions(1);
  come(second, "2");
  wait_for_questions(2);
  come(third, "3");
  wait_for_questions(3);
  asked->answer(2, principal{.user_id = "three"});
  asked->answer(0, principal{.user_id = "one"});
  asked->answer(0, refused{.status = "400"});
  run_until([&] { return router.peers().size() == 2 && second.ended(); });
  for (const auto& p : router.peers()) {
    EXPECT_EQ(p.info.user_id, p.info.routing_id == "1" ? "one" : "three");
  }
  EXPECT_EQ(router.find("2"), std::nullopt);
}

TEST_F(at_a_router, the_first_accepted_peer_has_the_routing_id_of_both) {
  raw_peer second{context()};
  come(peer, "same");
  wait_for_questions(1);
  come(second, "same");
  wait_for_questions(2);
  asked->answer(1, principal{.user_id = "second"});
  EXPECT_EQ(next(watched, event_kind::attached).info.user_id, "second");
  asked->answer(0, principal{.user_id = "first"});
  const auto event = next(watched, event_kind::refused);
  EXPECT_EQ(event.reason, errc::duplicate_routing_id);
  EXPECT_EQ(event.info.user_id, "first");
  run_until([&] { return peer.ended(); });
  ASSERT_EQ(router.peers().size(), 1U);
  EXPECT_EQ(router.peers().at(0).info.user_id, "second");
}

class with_handover : public at_a_router {
protected:
  // Two peers ask for the same routing id. The second one is accepted, as a peer of anna.
  with_handover() {
    auto options = asking();
    options.handover = true;
    router.set_options(options);
    come(peer, "same");
    wait_for_questions(1);
    come(second, "same");
    wait_for_questions(2);
    asked->answer(1, principal{.user_id = "anna"});
    EXPECT_EQ(next(watched, event_kind::attached).info.user_id, "anna");
  }

  raw_peer second{context()};
};

TEST_F(with_handover, the_last_accepted_peer_has_the_routing_id) {
  EXPECT_FALSE(second.ended());
  asked->answer(0, principal{.user_id = "anna"});
  EXPECT_EQ(next(watched, event_kind::attached).info.user_id, "anna");
  run_until([&] { return second.ended(); });
  EXPECT_FALSE(peer.ended());
  EXPECT_EQ(router.peers().size(), 1U);
}

TEST_F(with_handover, another_user_does_not_get_the_routing_id) {
  asked->answer(0, principal{.user_id = "eve"});
  const auto event = next(watched, event_kind::refused);
  EXPECT_EQ(event.reason, errc::duplicate_routing_id);
  EXPECT_EQ(event.info.user_id, "eve");
  run_until([&] { return peer.ended(); });
  EXPECT_FALSE(second.ended());
  EXPECT_EQ(router.peers().size(), 1U);
}

TEST_F(at_a_router, the_end_of_a_waiting_peer_is_noticed_at_once) {
  come(peer, "me");
  wait_for_questions(1);
  peer.close();
  EXPECT_EQ(next(watched, event_kind::handshake_failed).reason, errc::connection_lost);
  asked->answer(0, principal{});
  settle();
  EXPECT_EQ(router.find("me"), std::nullopt);
}

TEST_F(at_a_router, an_answer_after_the_end_of_the_socket_has_no_effect) {
  come(peer);
  wait_for_questions(1);
  router.close();
  run_until([&] { return peer.ended(); });
  asked->answer(0, principal{});
  settle();
  EXPECT_TRUE(router.peers().empty());
  EXPECT_EQ(peer.received(), greeting_of(3, 1));
}

// The peer does not wait for READY. Its early message is the first that the socket receives.
TEST_F(authentication, early_messages_of_a_waiting_peer_are_received_after_the_verdict) {
  router_socket router{executor(), asking()};
  raw_peer peer{context()};
  peer.connect(router.bind("tcp://127.0.0.1:*"));
  peer.shake_hands("DEALER", "early");
  wait_for_questions(1);
  peer.send(framed({"one"}));
  peer.send(framed({"two"}));
  settle();
  asked->answer(0, principal{});
  EXPECT_EQ(receive(router).content.front(), "one");
  EXPECT_EQ(receive(router).content.front(), "two");
}

TEST_F(authentication, a_connecting_socket_sends_nothing_before_the_decision) {
  dealer_socket dealer{executor(), asking()};
  auto watched = dealer.monitor();
  raw_listener listener{context()};
  raw_peer peer{context()};
  listener.start_accepting(peer);
  dealer.connect(listener.endpoint());
  ASSERT_EQ(dealer.try_send(message{"queued"}), send_status::queued);
  run_until([&] { return listener.accepted(); });
  peer.start_reading();
  peer.shake_hands("ROUTER");
  wait_for_questions(1);
  settle();
  EXPECT_EQ(peer.traffic(), "");
  EXPECT_TRUE(dealer.peers().empty());
  asked->answer(0, principal{.user_id = "server"});
  EXPECT_EQ(next(watched, event_kind::attached).info.user_id, "server");
  run_until([&] { return !peer.traffic().empty(); });
  EXPECT_EQ(peer.traffic(), framed({"queued"}));
}

TEST_F(authentication, a_connecting_socket_that_refuses_tries_again_and_keeps_its_messages) {
  router_socket router{executor()};
  dealer_socket dealer{executor(), asking()};
  auto watched = dealer.monitor();
  join(router, dealer);
  ASSERT_EQ(dealer.try_send(message{"queued"}), send_status::queued);
  wait_for_questions(1);
  asked->answer(0, refused{.reason = asio::error::access_denied, .status = "400"});
  EXPECT_EQ(next(watched, event_kind::refused).reason, asio::error::access_denied);
  EXPECT_EQ(next(watched, event_kind::connect_delayed).reason, errc::not_admitted);
  wait_for_questions(1);
  asked->answer(0, principal{});
  EXPECT_EQ(receive(router).content.front(), "queued");
}

TEST_F(authentication, the_first_accepted_peer_of_a_pair_has_its_place) {
  pair_socket pair{executor(), asking()};
  auto watched = pair.monitor();
  const auto at = pair.bind("tcp://127.0.0.1:*");
  raw_peer first{context()};
  first.connect(at);
  first.start_reading();
  first.shake_hands("PAIR");
  first.send(framed({"first"}));
  wait_for_questions(1);
  raw_peer second{context()};
  second.connect(at);
  second.shake_hands("PAIR");
  second.send(framed({"second"}));
  wait_for_questions(2);
  asked->answer(1, principal{.user_id = "second"});
  EXPECT_EQ(take(pair).front(), "second");
  asked->answer(0, principal{.user_id = "first"});
  EXPECT_EQ(next(watched, event_kind::refused).reason, errc::already_paired);
  run_until([&] { return first.ended(); });
  message m;
  EXPECT_FALSE(pair.try_receive(m));
}

TEST_F(authentication, two_of_our_sockets_may_both_ask) {
  router_socket router{executor(), asking()};
  dealer_socket dealer{executor(), asking()};
  join(router, dealer);
  wait_for_questions(1);
  asked->answer(0, principal{});
  wait_for_questions(1);
  asked->answer(0, principal{});
  put(dealer, message{"through"});
  EXPECT_EQ(receive(router).content.front(), "through");
}

TEST_F(authentication, peers_inside_the_process_are_not_asked_about) {
  router_socket router{executor(), asking()};
  dealer_socket dealer{executor(), asking()};
  join(router, dealer, medium::inproc);
  put(dealer, message{"through"});
  EXPECT_EQ(receive(router).content.front(), "through");
  EXPECT_TRUE(asked->questions.empty());
}

}  // namespace
}  // namespace zmtp::test
