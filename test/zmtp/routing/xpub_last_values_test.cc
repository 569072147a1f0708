// XPUB with last values: a new subscription gets the values that it missed, each once, up to the
// last.

#include "test/support/routing.h"
#include "zmtp/routing/xpub_state.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp {
namespace {

using test::attach_new;
using test::content_of;
using test::parts;

using messages = std::vector<parts>;

socket_options store_status(std::size_t mark = 1'000) {
  socket_options options;
  options.xpub.last_values.emplace();
  options.send_mark.messages = mark;
  return options;
}

class xpub_last_values : public testing::Test {
protected:
  void send(message m) { ASSERT_EQ(state.send(std::move(m), if_full::drop), send_status::queued); }
  void subscribe(peer_id id, std::string_view topic) {
    state.on_subscription(*state.find(id), true, topic);
  }
  void cancel(peer_id id, std::string_view topic) {
    state.on_subscription(*state.find(id), false, topic);
  }
  messages taken(peer_id id) {
    state.end_turn();
    return content_of(test::write(state, id)).messages;
  }

  xpub_state state{store_status()};
};

TEST_F(xpub_last_values, a_new_subscriber_gets_the_last_value_of_each_matching_topic) {
  send({"A1", "old"});
  send({"A1", "new"});
  send({"A2", "x"});
  send({"B", "x"});
  const auto id = attach_new(state);
  EXPECT_EQ(taken(id), messages{}) << "it has not subscribed yet";
  subscribe(id, "A");
  EXPECT_EQ(taken(id), (messages{{"A1", "new"}, {"A2", "x"}}));
}

TEST_F(xpub_last_values, only_the_exact_topic_is_sent_if_so_configured) {
  auto options = store_status();
  options.xpub.last_values_of = xpub_options::matching::topic;
  state.change_options(options);
  send({"A", "old"});
  send({"A", "new"});
  send({"A1", "x"});
  const auto id = attach_new(state);
  subscribe(id, "A");
  EXPECT_EQ(taken(id), (messages{{"A", "new"}}));
  subscribe(id, "");
  EXPECT_EQ(taken(id), messages{});
  send({"A1", "y"});
  EXPECT_EQ(taken(id), (messages{{"A1", "y"}}));
}

TEST_F(xpub_last_values, come_once_for_each_subscription) {
  send({"A", "x"});
  const auto id = attach_new(state);
  subscribe(id, "A");
  subscribe(id, "A");
  EXPECT_EQ(taken(id), (messages{{"A", "x"}}));
  cancel(id, "A");
  subscribe(id, "A");
  EXPECT_EQ(taken(id), (messages{{"A", "x"}})) << "it is a new one";
}

TEST_F(xpub_last_values, do_not_affect_other_peers_or_the_order) {
  const auto other = attach_new(state);
  subscribe(other, "A");
  const auto id = attach_new(state);
  subscribe(id, "A1");
  send({"A1", "1"});
  send({"A2", "1"});
  subscribe(id, "A2");
  send({"A1", "2"});
  send({"A2", "2"});
  EXPECT_EQ(taken(other), (messages{{"A1", "1"}, {"A2", "1"}, {"A1", "2"}, {"A2", "2"}}));
  EXPECT_EQ(taken(id), (messages{{"A1", "1"}, {"A2", "1"}, {"A1", "2"}, {"A2", "2"}}));
}

TEST_F(xpub_last_values, a_message_to_one_peer_is_not_stored_as_a_value) {
  const auto one = attach_new(state);
  EXPECT_EQ(state.send(one, {"A", "for one"}), send_status::queued);
  const auto other = attach_new(state);
  subscribe(other, "A");
  EXPECT_EQ(taken(other), messages{});
}

TEST_F(xpub_last_values, begin_and_end_with_a_change_of_the_options) {
  state.change_options({});
  send({"A", "nobody keeps it"});
  const auto first = attach_new(state);
  subscribe(first, "A");
  EXPECT_EQ(taken(first), messages{});

  state.change_options(store_status());
  send({"A", "kept"});
  send({"B", "kept"});
  const auto second = attach_new(state);
  subscribe(second, "");
  EXPECT_EQ(taken(second), (messages{{"A", "kept"}, {"B", "kept"}}));

  auto fewer = store_status();
  fewer.xpub.last_values->topics = 1;
  state.change_options(fewer);
  send({"C", "kept"});
  const auto third = attach_new(state);
  subscribe(third, "");
  EXPECT_EQ(taken(third), (messages{{"C", "kept"}}));

  state.change_options({});
  const auto fourth = attach_new(state);
  subscribe(fourth, "");
  EXPECT_EQ(taken(fourth), messages{});
}

TEST_F(xpub_last_values, evicted_values_are_not_sent_to_a_slow_peer) {
  auto small = store_status(1);
  xpub_state slow{small};
  for (const auto* topic : {"A", "B", "C"}) {
    ASSERT_EQ(slow.send(message{topic}, if_full::drop), send_status::queued);
  }
  const auto id = attach_new(slow);
  slow.on_subscription(*slow.find(id), true, "");
  small.xpub.last_values.reset();
  slow.change_options(small);
  ASSERT_EQ(slow.send(message{"D"}, if_full::drop), send_status::queued);
  EXPECT_EQ(content_of(test::write(slow, id)).messages, (messages{{"A"}}));
  slow.on_written(*slow.find(id));
  EXPECT_EQ(content_of(test::write(slow, id)).messages, messages{});
}

TEST_F(xpub_last_values, in_manual_mode_follow_the_subscriptions_by_the_user) {
  auto options = store_status();
  options.xpub.manual = true;
  xpub_state by_hand{options};
  ASSERT_EQ(by_hand.send(message{"A"}), send_status::queued);
  ASSERT_EQ(by_hand.send(message{"B"}), send_status::queued);
  const auto id = attach_new(by_hand);
  by_hand.on_subscription(*by_hand.find(id), true, "A");
  EXPECT_EQ(test::write(by_hand, id), "");
  EXPECT_TRUE(by_hand.subscribe(id, "B"));
  EXPECT_EQ(content_of(test::write(by_hand, id)).messages, messages{{"B"}});
}

class xpub_last_values_in_a_small_queue : public xpub_last_values {
protected:
  xpub_last_values_in_a_small_queue() {
    for (int n = 100; n < 200; ++n) {
      EXPECT_EQ(small.send(message{"A" + std::to_string(n)}, if_full::drop), send_status::queued);
      everything.push_back({"A" + std::to_string(n)});
    }
  }
  messages written(peer_id id) {
    small.end_turn();
    return content_of(test::write(small, id)).messages;
  }

  xpub_state small{store_status(7)};
  messages everything;
};

TEST_F(xpub_last_values_in_a_small_queue, values_beyond_the_mark_follow_later) {
  const auto id = attach_new(small);
  small.on_subscription(*small.find(id), true, "A");
  messages all;
  while (!small.find(id)->out.empty()) {
    ASSERT_LE(small.find(id)->out.messages(), 7U);
    const auto some = written(id);
    all.insert(all.end(), some.begin(), some.end());
  }
  EXPECT_EQ(all, everything);
  EXPECT_EQ(small.counters().dropped_full, 0U);
}

TEST_F(xpub_last_values_in_a_small_queue, a_peer_that_cancels_gets_no_further_values) {
  const auto id = attach_new(small);
  small.on_subscription(*small.find(id), true, "A");
  small.on_subscription(*small.find(id), false, "A");
  EXPECT_EQ(written(id).size(), 7U) << "these were queued before";
  EXPECT_EQ(written(id), messages{});
}

TEST_F(xpub_last_values_in_a_small_queue, the_next_peer_in_the_same_slot_gets_no_values) {
  const auto before = attach_new(small);
  small.on_subscription(*small.find(before), true, "A");
  small.on_detached(*small.find(before));
  routed_message m;
  while (small.receive(m)) {
  }
  const auto after = attach_new(small);
  ASSERT_EQ(after.slot, before.slot);
  EXPECT_EQ(written(after), messages{});
  EXPECT_EQ(small.send(after, {"only this"}), send_status::queued);
  EXPECT_EQ(written(after), messages{{"only this"}});
  EXPECT_EQ(written(after), messages{});
}

// With any sequence of full and empty queues, in the end each peer has the last value of each of
// its topics.
TEST(xpub_last_values_model, every_subscriber_ends_with_the_last_values) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random{seed};
    xpub_state state{store_status(1'000'000)};
    struct subscriber {
      peer_id id;
      std::set<std::string> topics;
      std::map<std::string, std::string> has;
    };
    std::vector<subscriber> all(3);
    for (auto& each : all) {
      each.id = attach_new(state);
    }
    std::map<std::string, std::string> last;
    const auto any_topic = [&] {
      std::string topic;
      for (auto size = random() % 4; size > 0; --size) {
        topic += "ab"[random() % 2];
      }
      return topic;
    };
    const auto read = [&](subscriber& s) {
      state.end_turn();
      for (const auto& m : content_of(test::write(state, s.id)).messages) {
        s.has[m[0]] = m[1];
      }
    };
    for (int n = 0; n < 400; ++n) {
      auto& s = all[random() % all.size()];
      const auto topic = any_topic();
      switch (random() % 5) {
        case 0:
          state.on_subscription(*state.find(s.id), true, topic);
          s.topics.insert(topic);
          break;
        case 1: read(s); break;
        default:
          ASSERT_EQ(state.send(message{topic, std::to_string(n)}), send_status::queued);
          last[topic] = std::to_string(n);
      }
    }
    for (auto& s : all) {
      read(s);
      std::map<std::string, std::string> wanted;
      for (const auto& [topic, value] : last) {
        for (const auto& prefix : s.topics) {
          if (topic.starts_with(prefix)) {
            wanted[topic] = value;
          }
        }
      }
      ASSERT_EQ(s.has, wanted);
    }
  }
}

}  // namespace
}  // namespace zmtp
