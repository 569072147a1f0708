// Messages are sent in batches as they are one by one.

#include "test/zmtp/routing/batch_fixture.h"
#include "zmtp/routing/lock_step_state.h"
#include "zmtp/routing/pub_state.h"
#include "zmtp/routing/round_robin_state.h"
#include "zmtp/routing/router_state.h"
#include "zmtp/routing/subscriber_state.h"
#include "zmtp/routing/xpub_state.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace zmtp {
namespace {

using test::attach_new;
using test::framed;
using test::make_state;
using test::two_sockets;
using test::write;

template <class State>
void sends_the_same(std::size_t peers, bool shared = false) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    two_sockets both{seed, make_state<State>, shared};
    for (auto count = 1 + both.pick(peers); count != 0; --count) {
      both.attach();
    }
    for (int step = 0; step < 60; ++step) {
      switch (both.pick(4)) {
        case 0: both.subscribe(); break;
        case 1: both.write_some(); break;
        default: both.send();
      }
      both.check();
      if (testing::Test::HasFatalFailure()) {
        return;
      }
    }
    both.check_all_written();
  }
}

TEST(a_batch, is_sent_by_push_as_single_messages_are) { sends_the_same<push_state>(1); }
TEST(a_batch, is_sent_by_dealer_as_single_messages_are) { sends_the_same<dealer_state>(1); }
TEST(a_batch, is_shared_by_peers_of_push_as_single_messages_are) {
  sends_the_same<push_state>(4, true);
}
TEST(a_batch, is_shared_by_peers_of_dealer_as_single_messages_are) {
  sends_the_same<dealer_state>(2, true);
}
TEST(a_batch, is_sent_by_pub_as_single_messages_are) { sends_the_same<pub_state>(4); }
TEST(a_batch, is_sent_by_xpub_as_single_messages_are) { sends_the_same<xpub_state>(3); }
TEST(a_batch, is_sent_by_xsub_as_single_messages_are) { sends_the_same<xsub_state>(3); }
TEST(a_batch, is_sent_by_pair_as_single_messages_are) { sends_the_same<pair_state>(1); }
TEST(a_batch, is_sent_by_req_as_single_messages_are) { sends_the_same<req_state>(2); }

TEST(a_batch, is_sent_to_the_peers_of_its_messages) {
  router_state router{{}};
  const auto a = attach_new(router, "a");
  const auto b = attach_new(router, "b");
  message_batch batch;
  batch.append_to(a, "1");
  batch.append_to(a, "2");
  batch.append_to(b, "3");
  batch.append_to(peer_id{9, 9}, "lost");
  batch.append_to(a, "4");
  while (batch.front().front() != "lost") {
    ASSERT_EQ(router.send_to(batch), send_status::queued);
  }
  EXPECT_EQ(router.send_to(batch), send_status::unknown);
  batch.pop_front();
  EXPECT_EQ(router.send_to(batch), send_status::queued);
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(write(router, a), framed({"1"}) + framed({"2"}) + framed({"4"}));
  EXPECT_EQ(write(router, b), framed({"3"}));
}

message behind(std::string_view envelope, message m) {
  m.push_front(envelope);
  return m;
}

// Known and unknown peers, full queues, messages of every shape.
TEST(a_batch, is_sent_by_router_with_envelopes_as_single_messages_are) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const bool mandatory = seed % 2 == 0;
    two_sockets both{seed, [&](socket_options options) {
                       options.mandatory = mandatory;
                       return make_state<router_state>(options);
                     }};
    for (int peers = 0; peers < 3; ++peers) {
      both.attach();
    }
    for (int step = 0; step < 40; ++step) {
      if (both.pick(3) == 0) {
        both.write_some();
        continue;
      }
      auto all = both.some_messages();
      for (auto& m : all) {
        const auto to = both.pick(10);
        m = to == 9 ? message{"peer0"} : behind("peer" + std::to_string(to % 4), std::move(m));
      }
      both.send(all);
      both.check();
      if (testing::Test::HasFatalFailure()) {
        return;
      }
    }
  }
}

TEST(a_batch, is_queued_up_to_the_mark_of_its_peer) {
  socket_options options;
  options.send_mark.messages = 3;
  router_state router{options};
  const auto a = attach_new(router, "a");
  message_batch batch;
  for (int i = 0; i < 5; ++i) {
    batch.append_to(a, std::to_string(i));
  }
  EXPECT_EQ(router.send_to(batch), send_status::queued);
  EXPECT_EQ(batch.size(), 2U);
  EXPECT_EQ(router.send_to(batch), send_status::full);
  EXPECT_EQ(batch.front().front(), "3");
}

message_batch numbered(int first, int end) {
  message_batch batch;
  for (; first != end; ++first) {
    batch.append(std::to_string(first));
  }
  return batch;
}

std::string framed_numbers(std::initializer_list<int> numbers) {
  std::string all;
  for (const auto n : numbers) {
    all += framed({std::to_string(n)});
  }
  return all;
}

// Equal shares first, and the rest one by one. The next batch begins with the peer after the last
// one.
TEST(a_batch, is_sent_in_adjacent_shares) {
  push_state push{{}};
  const auto a = attach_new(push);
  const auto b = attach_new(push);
  const auto c = attach_new(push);
  auto batch = numbered(0, 8);
  EXPECT_EQ(push.send(batch, if_full::report), send_status::queued);
  EXPECT_TRUE(batch.empty());
  // Two runs and an object: a share may end in another one.
  batch = numbered(8, 10);
  batch.push_back({.content = message{"10"}});
  batch.append(numbered(11, 15));
  EXPECT_EQ(push.send(batch, if_full::report), send_status::queued);
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(write(push, a), framed_numbers({0, 1, 6, 10, 11}));
  EXPECT_EQ(write(push, b), framed_numbers({2, 3, 7, 12, 13}));
  EXPECT_EQ(write(push, c), framed_numbers({4, 5, 8, 9, 14}));
}

TEST(a_batch, is_shared_by_the_peers_that_are_not_full) {
  socket_options options;
  options.send_mark.messages = 5;
  push_state push{options};
  const auto a = attach_new(push);
  auto batch = numbered(0, 4);
  EXPECT_EQ(push.send(batch, if_full::report), send_status::queued);
  const auto b = attach_new(push);
  const auto c = attach_new(push);
  batch = numbered(4, 16);
  EXPECT_EQ(push.send(batch, if_full::report), send_status::queued);
  EXPECT_EQ(batch.size(), 1U);
  EXPECT_EQ(push.send(batch, if_full::report), send_status::full);
  EXPECT_EQ(write(push, a), framed_numbers({0, 1, 2, 3, 4}));
  EXPECT_EQ(write(push, b), framed_numbers({5, 6, 7, 8, 13}));
  EXPECT_EQ(write(push, c), framed_numbers({9, 10, 11, 12, 14}));
}

// Each message goes to the shorter queue.
TEST(a_batch, for_the_least_queued_peer_is_sent_singly) {
  socket_options options;
  options.policy = send_policy::least_queued;
  push_state push{options};
  const auto a = attach_new(push);
  auto batch = numbered(0, 2);
  EXPECT_EQ(push.send(batch, if_full::report), send_status::queued);
  const auto b = attach_new(push);
  batch = numbered(2, 8);
  EXPECT_EQ(push.send(batch, if_full::report), send_status::queued);
  EXPECT_EQ(write(push, a), framed_numbers({0, 1, 4, 6}));
  EXPECT_EQ(write(push, b), framed_numbers({2, 3, 5, 7}));
}

TEST(a_batch, is_written_from_its_own_memory) {
  push_state push{{}};
  const auto id = attach_new(push);
  message_batch batch;
  // After a few uses, a batch has a block for all its messages.
  for (int use = 0; use < 3; ++use) {
    batch.clear();
    for (int i = 0; i < 500; ++i) {
      batch.append("0123456789abcdef");
    }
  }
  const auto* const bytes = batch.front().front().data();
  EXPECT_EQ(push.send(batch, if_full::report), send_status::queued);
  std::array<send_queue::piece, 4> pieces;
  ASSERT_EQ(push.find(id)->out.gather(pieces), 1U);
  EXPECT_EQ(reinterpret_cast<const char*>(pieces[0].data()) + 2, bytes);
  EXPECT_EQ(pieces[0].size(), 500U * 18);
}

TEST(a_batch, is_sent_again_from_the_first_message_that_was_not_written_whole) {
  push_state push{{}};
  auto& p = push.open_pipe(true);
  push.on_attached(p, {}, 1);
  message_batch batch;
  for (int i = 0; i < 1'000; ++i) {
    batch.append(std::to_string(1'000 + i), "body");
  }
  EXPECT_EQ(push.send(batch, if_full::report), send_status::queued);
  const auto one = framed({"1000", "body"}).size();
  (void)write(push, p.id, 7 * one + 3);
  push.on_detached(p);
  EXPECT_EQ(p.out.messages(), 993U);
  push.on_attached(p, {}, 1);
  const auto again = write(push, p.id);
  EXPECT_EQ(again.size(), 993 * one);
  EXPECT_TRUE(again.starts_with(framed({"1007", "body"})));
}

}  // namespace
}  // namespace zmtp
