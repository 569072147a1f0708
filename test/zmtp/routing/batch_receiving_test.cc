// Messages are received in batches as they are one by one.

#include "test/zmtp/routing/batch_fixture.h"
#include "zmtp/routing/lock_step_state.h"
#include "zmtp/routing/round_robin_state.h"
#include "zmtp/routing/router_state.h"
#include "zmtp/routing/subscriber_state.h"
#include "zmtp/routing/xpub_state.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace zmtp {
namespace {

using test::attach_new;
using test::counts_of;
using test::framed;
using test::make_state;
using test::peer_sends_all;
using test::two_sockets;
using test::write;

// The messages of each peer, in order, and the notices.
using received_of_peers = std::map<peer_id, std::vector<std::string>>;

template <class Parts>
std::string text_of(const Parts& m) {
  std::string text;
  for (const auto part : m) {
    text += "[" + std::string{part} + "]";
  }
  return text;
}

received_of_peers receive_singly(socket_state& state) {
  received_of_peers all;
  for (routed_message next; state.receive(next);) {
    all[next.peer].push_back(std::to_string(static_cast<int>(next.what)) + text_of(next.content));
  }
  return all;
}

received_of_peers receive_batches(socket_state& state) {
  received_of_peers all;
  message_batch batch;
  while (state.receive(batch)) {
    EXPECT_LE(batch.size(), socket_state::max_batch);
    for (const auto m : batch) {
      all[m.peer()].push_back(std::to_string(static_cast<int>(m.what())) + text_of(m));
    }
    batch.clear();
  }
  return all;
}

// Subscribes to everything, or ends this subscription.
void change_topics(sub_state& state) {
  if (!state.unsubscribe("")) {
    EXPECT_TRUE(state.subscribe(""));
  }
}

template <class State>
void receives_the_same(bool announces) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    two_sockets both{seed, [&](socket_options options) {
                       options.announce_peers = announces;
                       auto state = std::make_unique<State>(options);
                       if constexpr (std::is_same_v<State, sub_state>) {
                         state->subscribe("a");
                         state->subscribe("bb");
                       }
                       return std::unique_ptr<socket_state>{std::move(state)};
                     }};
    for (auto count = 1 + both.pick(4); count != 0; --count) {
      both.attach();
    }
    std::vector<peer_id> left = both.peers();
    for (int step = 0; step < 40 && !left.empty(); ++step) {
      const auto at = both.pick(left.size());
      const auto who = left[at];
      if (both.pick(20) == 0) {
        for (auto* const state : {&both.single(), &both.batched()}) {
          state->on_detached(*state->find(who));
        }
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(at));
      } else if (both.pick(8) == 0) {
        for (auto* const state : {&both.single(), &both.batched()}) {
          state->find(who)->in.compact();
        }
      } else {
        const auto all = both.some_messages();
        peer_sends_all(both.single(), who, all);
        peer_sends_all(both.batched(), who, all);
      }
      if constexpr (std::is_same_v<State, sub_state>) {
        if (both.pick(10) == 0) {
          change_topics(dynamic_cast<sub_state&>(both.single()));
          change_topics(dynamic_cast<sub_state&>(both.batched()));
        }
      }
      if (both.pick(4) == 0) {
        ASSERT_EQ(receive_batches(both.batched()), receive_singly(both.single()));
        ASSERT_EQ(counts_of(both.batched().counters()), counts_of(both.single().counters()));
      }
    }
    ASSERT_EQ(receive_batches(both.batched()), receive_singly(both.single()));
    ASSERT_EQ(both.batched().account().bytes(), both.single().account().bytes());
  }
}

TEST(a_batch, is_received_by_pull_as_single_messages_are) { receives_the_same<pull_state>(false); }
TEST(a_batch, is_received_by_sub_as_single_messages_are) { receives_the_same<sub_state>(false); }
TEST(a_batch, is_received_by_sub_with_notices) { receives_the_same<sub_state>(true); }
TEST(a_batch, is_received_by_dealer_with_notices) { receives_the_same<dealer_state>(true); }
TEST(a_batch, is_received_by_router_with_notices) { receives_the_same<router_state>(true); }
TEST(a_batch, is_received_by_router_as_single_messages_are) {
  receives_the_same<router_state>(false);
}
TEST(a_batch, is_received_by_xsub_as_single_messages_are) { receives_the_same<xsub_state>(false); }

void ends_within_a_run(socket_state& state) {
  peer_sends_all(state, attach_new(state), std::vector<message>(3'000, message{"m"}));
  std::vector<std::size_t> sizes;
  for (message_batch batch; state.receive(batch); batch.clear()) {
    sizes.push_back(batch.size());
  }
  EXPECT_EQ(sizes, (std::vector<std::size_t>{1024, 1024, 952}));
}

TEST(a_batch, ends_within_a_run_above_the_limit) {
  pull_state pull{{}};
  ends_within_a_run(pull);
  sub_state sub{{}};
  (void)sub.subscribe("");
  ends_within_a_run(sub);
}

TEST(a_batch, contains_nothing_of_a_paused_peer) {
  pull_state pull{{}};
  const auto a = attach_new(pull);
  const auto b = attach_new(pull);
  for (const auto id : {a, b}) {
    peer_sends_all(pull, id, {message{"m"}});
  }
  pull.pause(*pull.find(a));
  message_batch batch;
  EXPECT_TRUE(pull.receive(batch));
  ASSERT_EQ(batch.size(), 1U);
  EXPECT_EQ(batch.front().peer(), b);
  batch.clear();
  EXPECT_FALSE(pull.receive(batch));
  pull.resume(*pull.find(a));
  EXPECT_TRUE(pull.receive(batch));
  EXPECT_EQ(batch.front().peer(), a);
}

TEST(a_batch, resumes_a_blocked_peer) {
  socket_options options;
  options.receive_mark.messages = 10;
  pull_state pull{options};
  const auto id = attach_new(pull);
  peer_sends_all(pull, id, std::vector<message>(10, message{"m"}));
  pull.find(id)->blocked = true;
  message_batch batch;
  EXPECT_TRUE(pull.receive(batch));
  EXPECT_FALSE(pull.find(id)->blocked);
  EXPECT_EQ(test::ids_of(pull.resumable()), std::vector{id});
}

TEST(a_batch, received_by_rep_is_one_request) {
  rep_state rep{{}};
  const auto id = attach_new(rep);
  peer_sends_all(rep, id, {message{"", "1"}, message{"", "2"}});
  message_batch batch;
  EXPECT_TRUE(rep.receive(batch));
  ASSERT_EQ(batch.size(), 1U);
  EXPECT_EQ(batch.front().to_message(), message{"1"});
  batch.clear();
  EXPECT_FALSE(rep.receive(batch));
  batch.append("reply");
  batch.append("another");
  EXPECT_EQ(rep.send(batch, if_full::report), send_status::queued);
  EXPECT_EQ(rep.send(batch, if_full::report), send_status::out_of_turn);
  EXPECT_EQ(batch.size(), 1U);
  EXPECT_EQ(write(rep, id), framed({"", "reply"}));
}

TEST(a_batch, received_by_xpub_contains_subscriptions_and_notices) {
  socket_options options;
  options.announce_peers = true;
  xpub_state xpub{options};
  const auto id = attach_new(xpub);
  xpub.on_subscription(*xpub.find(id), true, "t");
  peer_sends_all(xpub, id, {message{"m", "x"}});
  message_batch batch;
  EXPECT_TRUE(xpub.receive(batch));
  ASSERT_EQ(batch.size(), 3U);
  EXPECT_EQ(batch.front().what(), routed_message::kind::attached);
  batch.pop_front();
  EXPECT_EQ(batch.front().front(), std::string_view("\1t"));
  batch.pop_front();
  EXPECT_EQ(batch.front().to_message(), (message{"m", "x"}));
}

TEST(a_batch, is_received_by_router_with_envelopes_as_single_messages_are) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    two_sockets both{seed, [&](socket_options options) {
                       options.announce_peers = seed % 2 == 0;
                       return make_state<router_state>(options);
                     }};
    for (int peers = 0; peers < 3; ++peers) {
      both.attach();
    }
    const auto left = both.peers();
    for (int step = 0; step < 20; ++step) {
      const auto who = left[both.pick(left.size())];
      const auto all = both.some_messages();
      peer_sends_all(both.single(), who, all);
      peer_sends_all(both.batched(), who, all);
    }
    // The last messages of a peer come with its routing id also after it has disconnected.
    for (auto* const state : {&both.single(), &both.batched()}) {
      state->on_detached(*state->find(left.front()));
    }
    std::map<std::string, std::vector<message>> expected;
    for (message m; both.single().receive(m);) {
      expected[std::string{m.front()}].push_back(m);
    }
    std::map<std::string, std::vector<message>> got;
    for (message_batch batch; both.batched().receive_enveloped(batch); batch.clear()) {
      ASSERT_LE(batch.size(), socket_state::max_batch);
      for (const auto m : batch) {
        got[std::string{m.front()}].push_back(m.to_message());
      }
    }
    ASSERT_TRUE(got == expected);
    ASSERT_EQ(counts_of(both.batched().counters()), counts_of(both.single().counters()));
    ASSERT_EQ(both.batched().account().bytes(), both.single().account().bytes());
  }
}

TEST(a_batch, with_envelopes_shares_a_large_message) {
  router_state router{{}};
  const auto id = attach_new(router, "A");
  test::peer_sends(router, id, message{std::string(100'000, 'x')});
  const auto* const bytes = router.find(id)->in.front().index() == 0
                                ? std::get<message_run>(router.find(id)->in.front()).data
                                : nullptr;
  message_batch batch;
  EXPECT_TRUE(router.receive_enveloped(batch));
  const auto m = batch.front();
  EXPECT_EQ(m.front(), "A");
  EXPECT_EQ(m[1], std::string(100'000, 'x'));
  EXPECT_EQ(static_cast<const void*>(m[1].data()), bytes + frame::max_header_size);
}

TEST(a_batch, ends_with_the_message_that_reaches_the_limit_of_bytes) {
  pull_state pull{{}};
  const auto id = attach_new(pull);
  for (int i = 0; i < 5; ++i) {
    test::peer_sends(pull, id, message{std::string(100'000, 'x')});
  }
  std::vector<std::size_t> sizes;
  for (message_batch batch; pull.receive(batch); batch.clear()) {
    sizes.push_back(batch.size());
  }
  EXPECT_EQ(sizes, (std::vector<std::size_t>{3, 2}));
}

}  // namespace
}  // namespace zmtp
