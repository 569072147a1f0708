// An authenticator answers at once, late, in another thread or never, or fails.

#include "test/support/other_thread.h"
#include "test/support/raw_peer.h"
#include "test/zmtp/socket/authenticator_fixture.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <utility>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;
using event_kind = monitor_event::kind;
using principal = authenticator::principal;
using refused = authenticator::refusal;

TEST(an_authenticator, may_answer_after_the_end_of_the_context) {
  for (const bool answers : {true, false}) {
    const auto asked = std::make_shared<desk>();
    {
      asio::io_context context{1};
      auto options = impatient();
      options.authenticator = asked;
      router_socket router{context.get_executor(), options};
      raw_peer peer{context};
      peer.connect(router.bind("tcp://127.0.0.1:*"));
      peer.shake_hands("DEALER");
      while (asked->questions.empty()) {
        context.run_one_for(1s);
      }
    }
    if (answers) {
      asked->answer(0, principal{});
    } else {
      asked->questions.clear();
    }
  }
}

TEST_F(authentication, the_deadline_of_the_handshake_goes_on_without_an_answer) {
  auto options = asking();
  options.limit.handshake_time = 50ms;
  router_socket router{executor(), options};
  auto watched = router.monitor();
  raw_peer peer{context()};
  peer.connect(router.bind("tcp://127.0.0.1:*"));
  peer.start_reading();
  peer.shake_hands("DEALER");
  EXPECT_EQ(next(watched, event_kind::handshake_failed).reason, errc::handshake_timeout);
  run_until([&] { return peer.ended(); });
  ASSERT_EQ(asked->questions.size(), 1U);
  asked->answer(0, principal{});
  settle();
  EXPECT_TRUE(router.peers().empty());
}

// A few peers and a slow authenticator do not keep other peers out.
TEST_F(authentication, a_waiting_peer_is_evicted_when_all_places_are_taken) {
  auto options = asking();
  options.pending_handshakes = 1;
  options.limit.handshake_silence = 1ms;
  router_socket router{executor(), options};
  auto watched = router.monitor();
  const auto at = router.bind("tcp://127.0.0.1:*");
  raw_peer first{context()};
  first.connect(at);
  first.shake_hands("DEALER", "first");
  wait_for_questions(1);
  raw_peer second{context()};
  second.connect(at);
  second.shake_hands("DEALER", "second");
  EXPECT_EQ(next(watched, event_kind::handshake_failed).reason, errc::handshake_evicted);
  wait_for_questions(2);
  EXPECT_EQ(asked->questions.back()->peer.routing_id, "second");
  asked->answer(0, principal{});
  asked->answer(0, principal{});
  EXPECT_EQ(next(watched, event_kind::attached).info.routing_id, "second");
  settle();
  EXPECT_EQ(router.peers().size(), 1U);
}

TEST_F(authentication, an_answer_inside_the_call_is_as_good) {
  bool inside = false;
  const auto whom = std::make_shared<clerk>([&](const peer_info& peer, auto done) {
    inside = true;
    std::move(done)(peer.routing_id == "good" ? authenticator::verdict{principal{.user_id = "good"}}
                                              : authenticator::verdict{refused{.status = "400"}});
    inside = false;
  });
  auto options = asking(whom);
  options.announce_peers = true;
  router_socket router{executor(), options};
  router.async_receive([&](error_code, const routed_message&) { EXPECT_FALSE(inside); });
  const auto at = router.bind("tcp://127.0.0.1:*");
  raw_peer bad{context()};
  bad.connect(at);
  bad.start_reading();
  bad.shake_hands("DEALER", "bad");
  raw_peer good{context()};
  good.connect(at);
  good.shake_hands("DEALER", "good");
  run_until([&] { return bad.ended() && router.peers().size() == 1; });
  EXPECT_EQ(router.peers().at(0).info.user_id, "good");
}

TEST_F(authentication, an_exception_leaves_run_and_refuses_the_peer) {
  const auto whom = std::make_shared<clerk>(
      [](const peer_info&, const auto&) { throw std::runtime_error{"of the authenticator"}; });
  router_socket router{executor(), asking(whom)};
  auto watched = router.monitor();
  raw_peer peer{context()};
  peer.connect(router.bind("tcp://127.0.0.1:*"));
  peer.start_reading();
  peer.shake_hands("DEALER");
  EXPECT_THROW(run_until([&] { return peer.ended(); }), std::runtime_error);
  EXPECT_EQ(next(watched, event_kind::refused).reason, errc::not_admitted);
  run_until([&] { return peer.ended(); });
}

TEST_F(authentication, a_lack_of_memory_costs_only_the_connection) {
  int asked_times = 0;
  const auto whom = std::make_shared<clerk>([&](const peer_info&, auto done) {
    if (++asked_times == 1) {
      throw std::bad_alloc{};
    }
    done(principal{});
  });
  router_socket router{executor(), asking(whom)};
  dealer_socket dealer{executor(), impatient()};
  join(router, dealer);
  run_until([&] { return router.peers().size() == 1; });
  EXPECT_EQ(asked_times, 2);
}

TEST_F(authentication, an_authenticator_may_close_the_socket) {
  std::optional<router_socket> router;
  const auto whom = std::make_shared<clerk>([&](const peer_info&, auto done) {
    router.reset();
    std::move(done)(principal{});
  });
  router.emplace(executor(), asking(whom));
  raw_peer peer{context()};
  peer.connect(router->bind("tcp://127.0.0.1:*"));
  peer.start_reading();
  peer.shake_hands("DEALER");
  run_until([&] { return peer.ended(); });
  run_to_the_end();
}

TEST_F(authentication, the_answer_may_come_from_another_thread) {
  other_thread other;
  const auto whom = std::make_shared<clerk>([&](const peer_info& peer, auto done) {
    asio::post(other.context(), [done = std::move(done), id = peer.routing_id]() mutable {
      if (id == "refused") {
        std::move(done)(refused{.status = "400"});
      } else if (id == "accepted") {
        std::move(done)(principal{.user_id = "accepted"});
      }
      // Otherwise the handler is destroyed in this thread.
    });
  });
  router_socket router{executor(), asking(whom)};
  const auto at = router.bind("tcp://127.0.0.1:*");
  raw_peer bad{context()};
  raw_peer forgotten{context()};
  raw_peer good{context()};
  for (auto* peer : {&bad, &forgotten, &good}) {
    peer->connect(at);
    peer->start_reading();
  }
  bad.shake_hands("DEALER", "refused");
  forgotten.shake_hands("DEALER", "forgotten");
  good.shake_hands("DEALER", "accepted");
  const auto work = asio::make_work_guard(other.context());
  other.start();
  run_until([&] { return bad.ended() && forgotten.ended() && router.peers().size() == 1; });
  EXPECT_EQ(router.peers().at(0).info.user_id, "accepted");
  other.context().stop();
}

}  // namespace
}  // namespace zmtp::test
