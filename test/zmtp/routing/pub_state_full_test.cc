// PUB with a subscriber that does not keep up: it alone misses messages, or is disconnected, or with
// no_drop all wait for it (protocols A8, Z-14).

#include "test/support/routing.h"
#include "zmtp/routing/pub_state.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace zmtp {
namespace {

using test::attach_new;
using test::content_of;
using test::parts;

using messages = std::vector<parts>;

class pub_full : public testing::Test {
protected:
  static socket_options marked(std::size_t count, bool no_drop = false) {
    socket_options options;
    options.send_mark.messages = count;
    options.no_drop = no_drop;
    return options;
  }
  static peer_id subscriber(pub_state& state, const char* topic = "") {
    const auto id = attach_new(state);
    state.on_subscription(*state.find(id), true, topic);
    return id;
  }
  // Sends as a shell does: writes a full queue once, here only to `readers`, then tries again.
  static send_status send(pub_state& state, const message& m, const std::vector<peer_id>& readers,
                          messages* read = nullptr) {
    message copy{m};
    auto status = state.send(std::move(copy));
    if (status == send_status::full) {
      EXPECT_EQ(copy, m) << "what is full has not taken the message";
      state.end_turn();
      for (const auto id : readers) {
        const auto content = content_of(test::write(state, id));
        if (read != nullptr) {
          read->insert(read->end(), content.messages.begin(), content.messages.end());
        }
      }
      status = state.send(std::move(copy), if_full::drop);
    }
    return status;
  }
  static messages taken(pub_state& state, peer_id id) {
    state.end_turn();
    const auto content = content_of(test::write(state, id));
    EXPECT_EQ(content.unread, 0U);
    return content.messages;
  }
  static messages numbered(int from, int to) {
    messages all;
    for (int n = from; n < to; ++n) {
      all.push_back({std::to_string(n)});
    }
    return all;
  }
};

TEST_F(pub_full, only_the_full_subscriber_misses_messages) {
  pub_state state{marked(10)};
  const auto slow = subscriber(state);
  const auto fast = subscriber(state);
  messages read;
  for (int n = 0; n < 35; ++n) {
    EXPECT_EQ(send(state, {std::to_string(n)}, {fast}, &read), send_status::queued) << n;
  }
  const auto rest = taken(state, fast);
  read.insert(read.end(), rest.begin(), rest.end());
  EXPECT_EQ(read, numbered(0, 35));
  EXPECT_EQ(state.counters().dropped_full, 25U);
  EXPECT_EQ(state.counters().messages_sent, 35U + 10U);
  EXPECT_EQ(taken(state, slow), numbered(0, 10)) << "what it gets is whole and in order";
}

TEST_F(pub_full, all_full_subscribers_miss_it_and_sending_succeeds) {
  pub_state state{marked(3)};
  const auto one = subscriber(state);
  const auto other = subscriber(state);
  for (int n = 0; n < 10; ++n) {
    EXPECT_EQ(send(state, {std::to_string(n)}, {}), send_status::queued);
  }
  EXPECT_EQ(state.counters().dropped_full, 14U);
  EXPECT_EQ(taken(state, one), numbered(0, 3));
  EXPECT_EQ(taken(state, other), numbered(0, 3));
}

TEST_F(pub_full, a_full_subscriber_gets_everything_again_once_it_has_space) {
  pub_state state{marked(4)};
  const auto slow = subscriber(state);
  for (int n = 0; n < 6; ++n) {
    ASSERT_EQ(send(state, {std::to_string(n)}, {}), send_status::queued);
  }
  EXPECT_EQ(taken(state, slow), numbered(0, 4));
  for (int n = 6; n < 9; ++n) {
    ASSERT_EQ(send(state, {std::to_string(n)}, {}), send_status::queued);
  }
  EXPECT_EQ(taken(state, slow), numbered(6, 9));
  EXPECT_EQ(state.counters().dropped_full, 2U);
}

TEST_F(pub_full, space_freed_within_a_turn_is_used) {
  pub_state state{marked(4)};
  const auto slow = subscriber(state);
  const auto fast = subscriber(state);
  messages read;
  for (int n = 0; n < 6; ++n) {
    ASSERT_EQ(send(state, {std::to_string(n)}, {fast}, &read), send_status::queued);
  }
  EXPECT_EQ(content_of(test::write(state, slow)).messages, numbered(0, 4));
  ASSERT_EQ(send(state, {"6"}, {fast}, &read), send_status::queued);
  EXPECT_EQ(taken(state, slow), numbered(6, 7));
}

TEST_F(pub_full, a_full_peer_that_does_not_want_the_message_misses_nothing) {
  pub_state state{marked(2)};
  const auto full = subscriber(state, "A");
  const auto other = subscriber(state, "B");
  for (int n = 0; n < 2; ++n) {
    ASSERT_EQ(state.send({"A"}), send_status::queued);
  }
  ASSERT_EQ(state.send({"B"}), send_status::queued) << "without a second try";
  EXPECT_EQ(state.counters().dropped_full, 0U);
  EXPECT_EQ(taken(state, other), messages{{"B"}});
  EXPECT_EQ(taken(state, full), (messages{{"A"}, {"A"}}));
}

// RFC 29: a publisher drops whole messages, never parts.
TEST_F(pub_full, large_messages_of_many_parts_are_dropped_whole) {
  socket_options options;
  options.send_mark.bytes = 200'000;
  pub_state state{options};
  const auto slow = subscriber(state);
  for (int n = 0; n < 20; ++n) {
    const message m{std::to_string(n), std::string(30'000, 'x'), "", std::string(100, 'y')};
    ASSERT_EQ(send(state, m, {}), send_status::queued);
  }
  const auto got = taken(state, slow);
  // The mark is never exceeded by more than one message.
  EXPECT_EQ(got.size(), 7U);
  for (std::size_t n = 0; n < got.size(); ++n) {
    EXPECT_EQ(got[n],
              (parts{std::to_string(n), std::string(30'000, 'x'), "", std::string(100, 'y')}));
  }
  EXPECT_EQ(state.counters().dropped_full, 20U - got.size());
}

// S5: a mark is never exceeded by more than one message, however messages are gathered.
TEST_F(pub_full, both_marks_hold_for_a_subscriber_that_never_reads) {
  for (const std::size_t size : {0U, 20U, 1'000U, 4'090U, 5'000U, 70'000U}) {
    for (const bool by_bytes : {false, true}) {
      socket_options options;
      options.send_mark.messages.reset();
      options.send_mark.bytes.reset();
      (by_bytes ? options.send_mark.bytes : options.send_mark.messages) = by_bytes ? 150'000U : 37U;
      pub_state state{options};
      const auto id = subscriber(state);
      const message m{std::string(size, 'x')};
      for (int n = 0; n < 200'000 && state.counters().dropped_full < 5; ++n) {
        ASSERT_EQ(send(state, m, {}), send_status::queued);
      }
      state.end_turn();
      const auto& out = state.find(id)->out;
      EXPECT_TRUE(out.full());
      EXPECT_EQ(state.counters().dropped_full, 5U);
      if (by_bytes) {
        EXPECT_LT(out.bytes(), 150'000U + m.framed_size()) << size;
      } else {
        EXPECT_EQ(out.messages(), 37U) << size;
      }
    }
  }
}

TEST_F(pub_full, with_no_drop_it_stays_full_and_no_subscriber_gets_the_message) {
  pub_state state{marked(5, true)};
  const auto slow = subscriber(state);
  const auto fast = subscriber(state);
  for (int n = 0; n < 5; ++n) {
    ASSERT_EQ(state.send({std::to_string(n)}), send_status::queued);
  }
  EXPECT_EQ(taken(state, fast), numbered(0, 5));
  const message next{"5"};
  for (int i = 0; i < 5; ++i) {
    message copy{next};
    EXPECT_EQ(state.send(std::move(copy)), send_status::full);
    EXPECT_EQ(copy, next);
    state.end_turn();
  }
  EXPECT_EQ(taken(state, fast), messages{});
  EXPECT_EQ(state.counters().dropped_full, 0U);
  EXPECT_EQ(taken(state, slow), numbered(0, 5));
  EXPECT_EQ(state.send({"5"}), send_status::queued);
  EXPECT_EQ(taken(state, fast), numbered(5, 6));
  EXPECT_EQ(taken(state, slow), numbered(5, 6));
}

TEST_F(pub_full, with_no_drop_a_peer_that_disconnects_does_not_block_others) {
  pub_state state{marked(2, true)};
  const auto slow = subscriber(state);
  const auto fast = subscriber(state);
  for (int n = 0; n < 2; ++n) {
    ASSERT_EQ(state.send({std::to_string(n)}), send_status::queued);
  }
  EXPECT_EQ(taken(state, fast), numbered(0, 2));
  ASSERT_EQ(state.send({"2"}), send_status::full);
  state.on_detached(*state.find(slow));
  EXPECT_EQ(state.send({"2"}), send_status::queued);
  EXPECT_EQ(taken(state, fast), numbered(2, 3));
}

TEST_F(pub_full, with_no_drop_a_peer_that_cancels_does_not_block_others) {
  pub_state state{marked(2, true)};
  const auto slow = subscriber(state, "A");
  const auto fast = subscriber(state, "A");
  for (int n = 0; n < 2; ++n) {
    ASSERT_EQ(state.send({"A"}), send_status::queued);
  }
  static_cast<void>(taken(state, fast));
  ASSERT_EQ(state.send({"A"}), send_status::full);
  state.on_subscription(*state.find(slow), false, "A");
  EXPECT_EQ(state.send({"A"}), send_status::queued);
  EXPECT_EQ(taken(state, fast), messages{{"A"}});
  EXPECT_EQ(taken(state, slow), (messages{{"A"}, {"A"}}));
}

// "A message would be queued": while a subscriber is full, one that it wants would not.
TEST_F(pub_full, with_no_drop_it_is_not_writable_while_a_subscriber_is_full) {
  pub_state state{marked(2, true)};
  const auto slow = subscriber(state);
  EXPECT_TRUE(state.writable());
  for (int n = 0; n < 2; ++n) {
    ASSERT_EQ(state.send({std::to_string(n)}), send_status::queued);
  }
  state.end_turn();
  ASSERT_TRUE(state.find(slow)->out.full());
  EXPECT_FALSE(state.writable());
  static_cast<void>(taken(state, slow));
  EXPECT_TRUE(state.writable());
}

TEST_F(pub_full, with_disconnect_slow_a_full_subscriber_gets_nothing_after_the_gap) {
  auto options = marked(3);
  options.disconnect_slow = true;
  pub_state state{options};
  const auto slow = subscriber(state);
  const auto fast = subscriber(state);
  messages read;
  for (int n = 0; n < 3; ++n) {
    ASSERT_EQ(send(state, {std::to_string(n)}, {fast}, &read), send_status::queued);
  }
  EXPECT_TRUE(state.too_slow().empty()) << "it is full, and has missed nothing";
  for (int n = 3; n < 8; ++n) {
    ASSERT_EQ(send(state, {std::to_string(n)}, {fast}, &read), send_status::queued);
  }
  EXPECT_EQ(state.too_slow(), std::vector<peer_id>{slow}) << "once";
  EXPECT_EQ(state.counters().dropped_full, 5U);
  // The shell has not looked yet, and the peer reads.
  EXPECT_EQ(taken(state, slow), numbered(0, 3));
  ASSERT_EQ(send(state, {"8"}, {fast}, &read), send_status::queued);
  EXPECT_EQ(taken(state, slow), messages{});
  const auto rest = taken(state, fast);
  read.insert(read.end(), rest.begin(), rest.end());
  EXPECT_EQ(read, numbered(0, 9));
}

TEST_F(pub_full, with_disconnect_slow_a_new_connection_gets_only_new_messages) {
  auto options = marked(3);
  options.disconnect_slow = true;
  pub_state state{options};
  auto& endpoint = state.open_pipe(true);
  const auto id = endpoint.id;
  for (const bool too_slow : {true, false}) {
    state.on_attached(endpoint, {}, 1);
    state.on_subscription(endpoint, true, "");
    for (int n = 0; n < (too_slow ? 5 : 2); ++n) {
      ASSERT_EQ(send(state, {"before"}, {}), send_status::queued);
    }
    EXPECT_EQ(!std::exchange(state.too_slow(), {}).empty(), too_slow);
    state.on_detached(endpoint);
    state.on_attached(endpoint, {}, 1);
    state.on_subscription(endpoint, true, "");
    ASSERT_EQ(send(state, {"after"}, {}), send_status::queued);
    EXPECT_EQ(taken(state, id), messages{{"after"}});
    state.on_detached(endpoint);
  }
  EXPECT_EQ(state.counters().dropped_detached, 3U + 2U);
}

TEST_F(pub_full, a_rejected_message_leaves_nothing_to_write) {
  pub_state state{marked(2, true)};
  const auto fast = subscriber(state);
  const auto slow = subscriber(state);
  for (int n = 0; n < 2; ++n) {
    ASSERT_EQ(state.send({std::to_string(n)}), send_status::queued);
  }
  static_cast<void>(taken(state, fast));
  for (const auto id : {fast, slow}) {
    state.find(id)->dirty = false;
  }
  state.dirty().clear();
  ASSERT_EQ(state.send({"2"}), send_status::full);
  EXPECT_TRUE(state.dirty().empty());
}

TEST_F(pub_full, a_full_result_applies_to_one_message_only) {
  pub_state state{marked(2)};
  const auto slow = subscriber(state, "A");
  for (int n = 0; n < 2; ++n) {
    ASSERT_EQ(state.send({"A"}), send_status::queued);
  }
  ASSERT_EQ(state.send({"A"}), send_status::full);
  // The user gives up this message. Meanwhile the peer takes the queued messages, and is full
  // again.
  EXPECT_EQ(taken(state, slow), (messages{{"A"}, {"A"}}));
  for (int n = 0; n < 2; ++n) {
    ASSERT_EQ(state.send({"A"}), send_status::queued);
  }
  EXPECT_EQ(state.send({"A"}), send_status::full)
      << "the new messages must first get a chance to be written";
  EXPECT_EQ(state.counters().dropped_full, 0U);
}

}  // namespace
}  // namespace zmtp
