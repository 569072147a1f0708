// The limits of a subscriber at a PUB: above them, the PUB rejects and counts a subscription, and
// everything else goes on (reliability.md 1.4).

#include "test/support/routing.h"
#include "zmtp/routing/pub_state.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace zmtp {
namespace {

using test::attach_new;

class pub_limits : public testing::Test {
protected:
  static socket_options limited(std::size_t subscriptions, std::size_t bytes) {
    socket_options options;
    options.limit.subscriptions = subscriptions;
    options.limit.subscription_bytes = bytes;
    return options;
  }
  static void subscribe(pub_state& state, peer_id id, std::string_view topic) {
    state.on_subscription(*state.find(id), true, topic);
  }
  static void cancel(pub_state& state, peer_id id, std::string_view topic) {
    state.on_subscription(*state.find(id), false, topic);
  }
  // How many messages that begin so it gets of one that is sent.
  static std::size_t gets(pub_state& state, peer_id id, std::string_view first) {
    EXPECT_EQ(state.send({first}), send_status::queued);
    state.end_turn();
    return test::content_of(test::write(state, id)).messages.size();
  }
  static std::uint64_t refused(const pub_state& state) {
    return state.counters().refused_subscriptions;
  }
};

TEST_F(pub_limits, subscriptions_above_the_limit_are_rejected_and_counted) {
  pub_state state{limited(3, 1'000)};
  const auto id = attach_new(state);
  for (const auto* topic : {"A", "B", "C", "D", "E"}) {
    subscribe(state, id, topic);
  }
  EXPECT_EQ(refused(state), 2U);
  EXPECT_EQ(gets(state, id, "C"), 1U);
  EXPECT_EQ(gets(state, id, "D"), 0U);
}

TEST_F(pub_limits, the_limit_is_each_peers_own) {
  pub_state state{limited(1, 1'000)};
  const auto one = attach_new(state);
  const auto other = attach_new(state);
  subscribe(state, one, "A");
  subscribe(state, other, "B");
  EXPECT_EQ(refused(state), 0U);
  EXPECT_EQ(gets(state, one, "A"), 1U);
  EXPECT_EQ(gets(state, other, "B"), 1U);
}

TEST_F(pub_limits, a_cancelled_subscription_frees_its_place) {
  pub_state state{limited(2, 1'000)};
  const auto id = attach_new(state);
  subscribe(state, id, "A");
  subscribe(state, id, "B");
  cancel(state, id, "A");
  subscribe(state, id, "C");
  EXPECT_EQ(refused(state), 0U);
  EXPECT_EQ(gets(state, id, "C"), 1U);
}

TEST_F(pub_limits, topic_bytes_above_the_limit_are_rejected_and_counted) {
  pub_state state{limited(100, 10)};
  const auto id = attach_new(state);
  subscribe(state, id, "12345");
  subscribe(state, id, "67890");
  EXPECT_EQ(refused(state), 0U) << "exactly the limit is allowed";
  subscribe(state, id, "x");
  EXPECT_EQ(refused(state), 1U);
  EXPECT_EQ(gets(state, id, "x"), 0U);
  EXPECT_EQ(gets(state, id, "67890"), 1U);
  subscribe(state, id, "");
  EXPECT_EQ(refused(state), 1U) << "the empty topic has no bytes";
  EXPECT_EQ(gets(state, id, "x"), 1U);
}

TEST_F(pub_limits, the_bytes_of_cancelled_topics_are_free_again) {
  pub_state state{limited(100, 10)};
  const auto id = attach_new(state);
  subscribe(state, id, "1234567890");
  cancel(state, id, "1234567890");
  subscribe(state, id, "abcdefghij");
  EXPECT_EQ(refused(state), 0U);
  EXPECT_EQ(gets(state, id, "abcdefghij"), 1U);
}

// The churn of reliability.md 1.4, with the limits as they are by default.
TEST_F(pub_limits, churn_below_the_byte_limit_is_never_rejected) {
  pub_state state{socket_options{}};
  const auto id = attach_new(state);
  const std::string topic(1'024, 't');
  for (int n = 0; n < 20'000; ++n) {
    subscribe(state, id, topic);
    cancel(state, id, topic);
  }
  EXPECT_EQ(refused(state), 0U);
  subscribe(state, id, "A");
  EXPECT_EQ(gets(state, id, "A"), 1U);
}

TEST_F(pub_limits, a_repeated_topic_takes_no_space) {
  pub_state state{limited(2, 10)};
  const auto id = attach_new(state);
  subscribe(state, id, "12345");
  for (int n = 0; n < 100; ++n) {
    subscribe(state, id, "12345");
  }
  subscribe(state, id, "67890");
  EXPECT_EQ(refused(state), 0U);
  // The peer is at its limit, but it may repeat its own topics.
  subscribe(state, id, "12345");
  EXPECT_EQ(refused(state), 0U);
  EXPECT_EQ(gets(state, id, "12345"), 1U);
}

TEST_F(pub_limits, an_unmatched_cancel_frees_nothing) {
  pub_state state{limited(100, 10)};
  const auto id = attach_new(state);
  subscribe(state, id, "1234567890");
  cancel(state, id, "abcdefghij");
  cancel(state, id, "abcdefghij");
  subscribe(state, id, "abcdefghij");
  EXPECT_EQ(refused(state), 1U);
}

TEST_F(pub_limits, a_peer_that_reconnects_starts_without_subscriptions) {
  pub_state state{limited(2, 10)};
  auto& p = state.open_pipe(true);
  const auto id = p.id;
  for (int n = 0; n < 3; ++n) {
    state.on_attached(p, {}, 1);
    subscribe(state, id, "12345");
    subscribe(state, id, "67890");
    state.on_detached(p);
  }
  EXPECT_EQ(refused(state), 0U);
}

TEST_F(pub_limits, a_hundred_thousand_subscriptions_are_allowed_by_default) {
  pub_state state{socket_options{}};
  const auto id = attach_new(state);
  for (int n = 0; n < 100'000; ++n) {
    subscribe(state, id, "topic/" + std::to_string(n));
  }
  EXPECT_EQ(refused(state), 0U);
  subscribe(state, id, "one too many");
  EXPECT_EQ(refused(state), 1U);
  EXPECT_EQ(gets(state, id, "topic/99999"), 1U);
  state.on_detached(*state.find(id));
  EXPECT_EQ(state.subscriptions().subscriptions(), 0U);
}

}  // namespace
}  // namespace zmtp
