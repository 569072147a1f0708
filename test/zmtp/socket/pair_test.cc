// PAIR over loopback: one peer at a time, in both directions.

#include "test/support/pattern_test.h"
#include "test/support/raw_peer.h"
#include "test/support/wire.h"
#include "zmtp/socket/request_sockets.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;

using pair = pattern_test;

TEST_F(pair, messages_go_both_ways_in_order) {
  pair_socket one{executor()};
  pair_socket other{executor()};
  join(one, other);
  for (int n = 0; n < 1'500; ++n) {
    put(one, {"to the other", std::to_string(n)});
    put(other, {"to the one", std::to_string(n), ""});
    ASSERT_EQ(take(other), (message{"to the other", std::to_string(n)}));
    ASSERT_EQ(take(one), (message{"to the one", std::to_string(n), ""}));
  }
}

TEST_F(pair, a_message_sent_before_the_connection_arrives) {
  pair_socket connects{executor()};
  pair_socket binds{executor()};
  const auto at = binds.bind("tcp://127.0.0.1:*").to_string();
  EXPECT_EQ(binds.try_send({"no peer"}), send_status::full);
  connects.connect(at);
  EXPECT_EQ(connects.try_send({"early"}), send_status::queued);
  EXPECT_EQ(take(binds).front(), "early");
}

TEST_F(pair, a_send_without_a_peer_waits_for_one) {
  pair_socket binds{executor()};
  const auto at = binds.bind("tcp://127.0.0.1:*").to_string();
  std::optional<error_code> end;
  binds.async_send({"at last"}, [&](error_code ec) { end = ec; });
  run_ready();
  EXPECT_FALSE(end);
  pair_socket connects{executor()};
  connects.connect(at);
  EXPECT_EQ(take(connects).front(), "at last");
  EXPECT_EQ(end, error_code{});
}

TEST_F(pair, a_second_peer_is_rejected_until_the_first_disconnects) {
  pair_socket binds{executor()};
  const auto at = binds.bind("tcp://127.0.0.1:*").to_string();
  auto first = std::make_unique<pair_socket>(executor());
  first->connect(at);
  put(*first, {"first"});
  EXPECT_EQ(take(binds).front(), "first");
  pair_socket second{executor(), impatient()};
  second.connect(at);
  EXPECT_EQ(second.try_send({"second"}), send_status::queued);
  run_until(
      [&] { return binds.counters().ended[static_cast<std::size_t>(errc::already_paired)] > 1; });
  put(*first, {"still alone"});
  EXPECT_EQ(take(binds).front(), "still alone");
  first.reset();
  EXPECT_EQ(take(binds).front(), "second") << "no message was lost before the connection";
  put(binds, {"welcome"});
  EXPECT_EQ(take(second).front(), "welcome");
}

TEST_F(pair, a_second_peer_never_gets_a_ready) {
  pair_socket binds{executor()};
  const auto at = binds.bind("tcp://127.0.0.1:*");
  pair_socket first{executor()};
  first.connect(at.to_string());
  wait_for_peer(first);
  put(first, {"first"});
  EXPECT_EQ(take(binds).front(), "first");
  raw_peer second{context()};
  second.connect(at);
  second.shake_hands("PAIR");
  second.start_reading();
  run_until([&] { return second.ended(); });
  EXPECT_EQ(second.received(), greeting_of(3, 1));
  // A peer that connects with queued messages still has all of them when it is admitted.
  pair_socket third{executor(), impatient()};
  third.connect(at.to_string());
  for (int n = 0; n < 100; ++n) {
    EXPECT_EQ(third.try_send({std::to_string(n)}), send_status::queued);
  }
  const auto& ended = binds.counters().ended[static_cast<std::size_t>(errc::already_paired)];
  run_until([&] { return ended > 5; });
  EXPECT_TRUE(third.peers().empty());
  first.close();
  for (int n = 0; n < 100; ++n) {
    EXPECT_EQ(take(binds).front(), std::to_string(n));
  }
}

TEST_F(pair, waits_when_full_and_loses_nothing) {
  pair_socket sender{executor(), with_marks(2)};
  pair_socket receiver{executor(), with_marks(2)};
  join(receiver, sender);
  constexpr int count = 300;
  const std::string body(20'000, 'x');
  std::size_t sent = 0;
  message_batch batch;
  for (int n = 0; n < count; ++n) {
    batch.append(std::to_string(n), body);
  }
  std::optional<error_code> end;
  sender.async_send(batch, [&](error_code ec, std::size_t queued) {
    end = ec;
    sent = queued;
  });
  for (int n = 0; n < count; ++n) {
    ASSERT_EQ(take(receiver).front(), std::to_string(n));
  }
  run_until([&] { return end.has_value(); });
  EXPECT_FALSE(*end);
  EXPECT_EQ(sent, static_cast<std::size_t>(count));
  EXPECT_EQ(sender.counters().dropped_full, 0U);
}

TEST_F(pair, a_peer_of_another_type_is_rejected) {
  pair_socket binds{executor()};
  raw_peer theirs{context()};
  theirs.connect(binds.bind("tcp://127.0.0.1:*"));
  theirs.shake_hands("DEALER");
  theirs.start_reading();
  run_until([&] { return theirs.ended(); });
  EXPECT_EQ(binds.counters().ended[static_cast<std::size_t>(errc::bad_socket_type)], 1U);
}

}  // namespace
}  // namespace zmtp::test
