// While messages are sent and received, the n-th request for memory fails, for each n. A call that
// failed is made again. No message is lost or sent twice.

#include "test/support/failing_allocations.h"
#include "test/zmtp/routing/batch_fixture.h"
#include "zmtp/routing/lock_step_state.h"
#include "zmtp/routing/pub_state.h"
#include "zmtp/routing/round_robin_state.h"
#include "zmtp/routing/router_state.h"
#include "zmtp/routing/subscriber_state.h"
#include "zmtp/routing/xpub_state.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace zmtp {
namespace {

using test::attach_new;
using test::framed;
using test::write;

// Calls `body` until none of its requests fails. Each call has a thread of its own, because threads
// keep released blocks.
template <class Body>
void fail_each_request(Body&& body) {
  std::size_t n = 0;
  for (bool failed = true; failed && !testing::Test::HasFailure(); ++n) {
    SCOPED_TRACE("request " + std::to_string(n));
    std::thread{[&] {
      test::fail_allocations(n, 1);
      body();
      failed = test::stop_failing_allocations() != 0;
    }}.join();
  }
  EXPECT_GT(n, 1U) << "no request could fail";
}

// Makes a call again if there was no memory for it.
template <class Call>
auto insist(Call&& call) {
  for (;;) {
    try {
      const test::counting_allocations here;
      return call();
    } catch (const std::bad_alloc&) {
    }
  }
}

template <class State>
void send_all(State& state, const std::vector<message>& all) {
  for (const auto& m : all) {
    const auto status = insist([&] { return state.send(message{m}, if_full::report); });
    ASSERT_EQ(status, send_status::queued);
  }
  insist([&] { state.end_turn(); });
}

template <class State>
void send_batch(State& state, const std::vector<message>& all) {
  message_batch batch;
  for (const auto& m : all) {
    batch.append(m);
  }
  while (!batch.empty()) {
    const auto status = insist([&] { return state.send(batch, if_full::report); });
    ASSERT_EQ(status, send_status::queued);
  }
  insist([&] { state.end_turn(); });
}

// Runs that the queues copy, runs that they share, and messages that are entries of their own.
std::vector<message> mixture() {
  std::vector<message> all;
  for (const auto* const topic : {"a", "b", "a", "c", "ab"}) {
    all.push_back(message{topic, "small"});
    all.push_back(message{topic, std::string(10'000, 'l')});
    for (int i = 0; i < 20; ++i) {
      all.push_back(message{topic, std::to_string(i), std::string(300, 'm')});
    }
  }
  return all;
}

std::string wire_of(const std::vector<message>& all, std::string_view topics) {
  std::string wire;
  for (const auto& m : all) {
    if (topics.empty() || topics.find(m.front().front()) != std::string_view::npos) {
      wire.append(reinterpret_cast<const char*>(m.head().data()), m.head().size());
      wire.append(reinterpret_cast<const char*>(m.tail().data()), m.tail().size());
    }
  }
  return wire;
}

class published : public testing::TestWithParam<bool> {
protected:
  void publish(const socket_options& options) {
    const auto all = mixture();
    pub_state pub{options};
    const auto everything = attach_new(pub);
    const auto as = attach_new(pub);
    const auto both = attach_new(pub);
    pub.on_subscription(*pub.find(everything), true, "");
    pub.on_subscription(*pub.find(as), true, "a");
    pub.on_subscription(*pub.find(both), true, "a");
    pub.on_subscription(*pub.find(both), true, "b");
    GetParam() ? send_batch(pub, all) : send_all(pub, all);
    EXPECT_EQ(write(pub, everything), wire_of(all, ""));
    EXPECT_EQ(write(pub, as), wire_of(all, "a"));
    EXPECT_EQ(write(pub, both), wire_of(all, "ab"));
    const auto sent = pub.counters().messages_sent;
    EXPECT_EQ(sent, 110U + 66 + 88);
    EXPECT_EQ(pub.find(as)->counters.messages_sent, 66U);
  }
};

INSTANTIATE_TEST_SUITE_P(, published, testing::Bool(),
                         [](const auto& p) { return p.param ? "in_batches" : "one_by_one"; });

TEST_P(published, messages_reach_each_subscriber_once) {
  fail_each_request([this] { publish({}); });
}

template <class State>
void sends_once(std::size_t receivers, bool batched) {
  const auto all = mixture();
  fail_each_request([&] {
    State state{{}};
    std::vector<peer_id> ids;
    for (std::size_t i = 0; i < receivers; ++i) {
      ids.push_back(attach_new(state));
    }
    batched ? send_batch(state, all) : send_all(state, all);
    for (const auto id : ids) {
      EXPECT_EQ(write(state, id), wire_of(all, ""));
      EXPECT_EQ(state.find(id)->counters.messages_sent, all.size());
    }
  });
}

TEST(no_memory, push_sends_each_message_once) {
  sends_once<push_state>(1, false);
  sends_once<push_state>(1, true);
}

TEST(no_memory, xsub_sends_each_message_to_each_publisher_once) {
  sends_once<xsub_state>(3, false);
  sends_once<xsub_state>(3, true);
}

TEST(no_memory, xpub_publishes_and_stores_each_last_value_once) {
  const auto all = mixture();
  socket_options options;
  options.xpub.last_values.emplace();
  for (const bool batched : {false, true}) {
    fail_each_request([&] {
      xpub_state xpub{options, 1};
      const auto subscriber = attach_new(xpub);
      insist([&] { xpub.on_subscription(*xpub.find(subscriber), true, ""); });
      batched ? send_batch(xpub, all) : send_all(xpub, all);
      EXPECT_EQ(write(xpub, subscriber), wire_of(all, ""));
      ASSERT_NE(xpub.kept(), nullptr);
      EXPECT_EQ(xpub.kept()->topics(), 4U);
    });
  }
}

// All messages of one read. The pipe has undecoded bytes, and resumes during the receive.
void peer_sends_all(socket_state& state, peer_id from, const std::vector<message>& all) {
  auto& p = *state.find(from);
  p.in.push(test::run_of(all));
  p.blocked = true;
  state.on_received(p);
}

std::vector<message> numbered(std::size_t count, std::string_view topics) {
  std::vector<message> all;
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back(message{topics.substr(i % topics.size(), 1), std::to_string(i)});
  }
  return all;
}

std::vector<message> receive_batch(socket_state& state) {
  message_batch batch;
  while (insist([&] { return state.receive(batch); })) {
  }
  std::vector<message> got;
  for (const auto m : batch) {
    got.push_back(m.to_message());
  }
  return got;
}

TEST(no_memory, sub_loses_no_message_between_unwanted_ones) {
  const auto all = numbered(300, "ab");
  std::vector<message> wanted;
  for (const auto& m : all) {
    if (m.front() == "a") {
      wanted.push_back(m);
    }
  }
  fail_each_request([&] {
    sub_state sub{{}};
    (void)sub.subscribe("a");
    peer_sends_all(sub, attach_new(sub), all);
    EXPECT_EQ(receive_batch(sub), wanted);
    EXPECT_EQ(sub.counters().messages_received, wanted.size());
    EXPECT_EQ(sub.counters().dropped_unexpected, all.size() - wanted.size());
  });
}

TEST(no_memory, pull_loses_no_message_of_a_batch) {
  const auto all = numbered(300, "a");
  fail_each_request([&] {
    pull_state pull{{}};
    peer_sends_all(pull, attach_new(pull), all);
    EXPECT_EQ(receive_batch(pull), all);
  });
}

TEST(no_memory, pull_loses_no_single_message) {
  const auto all = numbered(5, "a");
  fail_each_request([&] {
    pull_state pull{{}};
    peer_sends_all(pull, attach_new(pull), all);
    std::vector<message> got;
    for (message m; insist([&] { return pull.receive(m); });) {
      got.push_back(m);
    }
    EXPECT_EQ(got, all);
  });
}

TEST(no_memory, router_loses_no_message_of_a_batch_with_envelopes) {
  auto all = numbered(300, "a");
  all.push_back(message{std::string(10'000, 'l')});
  std::vector<message> expected;
  for (auto m : all) {
    m.push_front("A");
    expected.push_back(m);
  }
  fail_each_request([&] {
    router_state router{{}};
    peer_sends_all(router, attach_new(router, "A"), all);
    message_batch batch;
    while (insist([&] { return router.receive_enveloped(batch); })) {
    }
    std::vector<message> got;
    for (const auto m : batch) {
      got.push_back(m.to_message());
    }
    EXPECT_EQ(got, expected);
  });
}

}  // namespace
}  // namespace zmtp
