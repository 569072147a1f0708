// Batches of framed messages are sent and received_of_peers as the same messages one by one are.

#include "test/support/allocations.h"
#include "test/support/routing.h"
#include "zmtp/routing/lock_step_state.h"
#include "zmtp/routing/pub_state.h"
#include "zmtp/routing/round_robin_state.h"
#include "zmtp/routing/router_state.h"
#include "zmtp/routing/subscriber_state.h"
#include "zmtp/routing/xpub_state.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace zmtp {
namespace {

using test::attach_new;
using test::framed;
using test::peer_sends_all;
using test::run_of;
using test::write;

std::string counts_of(const socket_counters& c) {
  std::string text;
  for (const auto n :
       {c.messages_sent, c.messages_received, c.dropped_full, c.dropped_over_budget,
        c.dropped_unknown, c.dropped_detached, c.dropped_unexpected, c.dropped_conflated}) {
    text += std::to_string(n) + " ";
  }
  return text;
}

std::string counts_of(const peer_counters& c) {
  return std::to_string(c.messages_sent) + " " + std::to_string(c.messages_received) + " " +
         std::to_string(c.dropped_full) + " " + std::to_string(c.dropped_over_budget) + " " +
         std::to_string(c.dropped_unexpected);
}

// Two equal sockets: one for single messages, one for batches.
class two_sockets {
public:
  template <class Make>
  two_sockets(unsigned seed, Make&& make) : random_{seed} {
    options_.send_mark.messages = 1 + pick(60);
    options_.receive_mark = {.messages = {}, .bytes = {}};
    if (pick(2) == 0) {
      options_.send_mark.bytes = 1 + pick(20'000);
    }
    options_.policy = pick(2) == 0 ? send_policy::least_queued : send_policy::round_robin;
    options_.conflate = pick(8) == 0;
    single_ = make(options_);
    batched_ = make(options_);
  }

  std::size_t pick(std::size_t n) { return random_() % n; }
  [[nodiscard]] socket_state& single() { return *single_; }
  [[nodiscard]] socket_state& batched() { return *batched_; }

  void attach() {
    const auto name = "peer" + std::to_string(peers_.size());
    for (auto* const state : {single_.get(), batched_.get()}) {
      const auto id = attach_new(*state, name);
      if (state == single_.get()) {
        peers_.push_back(id);
      }
    }
  }
  void subscribe() {
    const std::string topic(pick(3), static_cast<char>('a' + pick(3)));
    const auto who = peers_[pick(peers_.size())];
    for (auto* const state : {single_.get(), batched_.get()}) {
      state->on_subscription(*state->find(who), true, topic);
    }
  }
  [[nodiscard]] message some_message() {
    message m{std::string(pick(4), static_cast<char>('a' + pick(4)))};
    for (auto parts = pick(3); parts != 0; --parts) {
      const std::size_t sizes[] = {0, 10, 300, 5'000};
      m.push_back(std::string(sizes[pick(pick(10) == 0 ? 4 : 3)], 'p'));
    }
    return m;
  }
  [[nodiscard]] std::vector<message> some_messages() {
    std::vector<message> all;
    for (auto count = 1 + pick(50); count != 0; --count) {
      all.push_back(some_message());
    }
    return all;
  }

  // Framed by append(), or received_of_peers.
  [[nodiscard]] message_batch batch_of(const std::vector<message>& all) {
    message_batch batch;
    if (pick(2) == 0) {
      batch.push_back({.content = run_of(all)});
    } else {
      for (const auto& m : all) {
        batch.append(m);
      }
    }
    return batch;
  }
  void send() { send(some_messages()); }
  void send(const std::vector<message>& all) {
    const auto then = pick(2) == 0 ? if_full::report : if_full::drop;
    auto batch = batch_of(all);
    auto expected = send_status::queued;
    std::size_t sent = 0;
    for (; sent < all.size(); ++sent) {
      expected = single_->send(message{all[sent]}, then);
      if (expected != send_status::queued) {
        break;
      }
    }
    auto status = send_status::queued;
    while (status == send_status::queued && !batch.empty()) {
      const auto before = batch.size();
      status = batched_->send(batch, then);
      ASSERT_TRUE(status != send_status::queued || batch.size() < before);
    }
    ASSERT_EQ(status, expected);
    ASSERT_EQ(batch.size(), all.size() - sent);
    if (!batch.empty()) {
      ASSERT_EQ(batch.front().to_message(), all[sent]);
    }
  }
  void write_some() {
    for (auto* const state : {single_.get(), batched_.get()}) {
      state->end_turn();
    }
    for (const auto id : peers_) {
      // Whole queues, because marks are released entry by entry.
      if (pick(2) == 0) {
        ASSERT_EQ(write(*batched_, id), write(*single_, id));
      }
    }
  }
  void check() {
    // PUB counts for its peers when a group ends.
    single_->end_turn();
    ASSERT_EQ(counts_of(batched_->counters()), counts_of(single_->counters()));
    for (const auto id : peers_) {
      ASSERT_EQ(counts_of(batched_->find(id)->counters), counts_of(single_->find(id)->counters));
    }
  }
  [[nodiscard]] const std::vector<peer_id>& peers() const { return peers_; }

private:
  std::mt19937 random_;
  socket_options options_;
  std::unique_ptr<socket_state> single_;
  std::unique_ptr<socket_state> batched_;
  std::vector<peer_id> peers_;
};

template <class State>
std::unique_ptr<socket_state> make(socket_options options) {
  if (find_fault(options, State::pattern)) {
    options.conflate = false;
    options.policy = {};
  }
  EXPECT_FALSE(find_fault(options, State::pattern));
  return std::make_unique<State>(options);
}

template <class State>
void sends_the_same(std::size_t peers) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    two_sockets both{seed, make<State>};
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
  }
}

TEST(a_batch, is_sent_by_push_as_single_messages_are) { sends_the_same<push_state>(4); }
TEST(a_batch, is_sent_by_dealer_as_single_messages_are) { sends_the_same<dealer_state>(2); }
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
                       return make<router_state>(options);
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

TEST(a_batch, is_received_by_router_with_envelopes_as_single_messages_are) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    two_sockets both{seed, [&](socket_options options) {
                       options.announce_peers = seed % 2 == 0;
                       return make<router_state>(options);
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
