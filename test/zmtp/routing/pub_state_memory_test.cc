// The memory cost of publishing: nothing once warm, for any number of subscribers. A subscriber
// that does not read pins no more than its high-water mark.

#include "test/support/allocations.h"
#include "test/support/routing.h"
#include "zmtp/routing/pub_state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <vector>

namespace zmtp {
namespace {

using test::attach_new;
using test::counted;

peer_id subscriber(pub_state& state, std::string_view topic = "") {
  const auto id = attach_new(state);
  state.on_subscription(*state.find(id), true, topic);
  return id;
}

// Writes everything, as a kernel with free buffers does.
void write_all(pub_state& state, peer_id id) {
  auto& p = *state.find(id);
  std::array<send_queue::piece, 64> pieces;
  while (!p.out.empty()) {
    std::size_t bytes = 0;
    for (std::size_t i = 0, count = p.out.gather(pieces); i < count; ++i) {
      bytes += pieces[i].size();
    }
    p.out.advance(bytes);
  }
  p.out.compact();
  p.dirty = false;
  state.on_written(p);
}

// The number of peers, the bytes of a message, and the messages of a turn.
using load = std::tuple<std::size_t, std::size_t, int>;

class steady_publishing : public testing::TestWithParam<load> {};

INSTANTIATE_TEST_SUITE_P(peers_bytes_messages, steady_publishing,
                         testing::Combine(testing::Values(1U, 10U, 100U),
                                          testing::Values(10U, 90U, 1'000U, 10'000U),
                                          testing::Values(1, 30, 500)));

TEST_P(steady_publishing, allocates_nothing) {
  const auto peers = std::get<0>(GetParam());
  const auto size = std::get<1>(GetParam());
  // If messages are entries of their own, at most as many as a queue has space for.
  const auto messages = std::min(std::get<2>(GetParam()), size > message::large_slice ? 50 : 500);
  pub_state state{socket_options{}};
  std::vector<peer_id> ids;
  for (std::size_t i = 0; i < peers; ++i) {
    ids.push_back(subscriber(state));
  }
  message model;
  model.adopt_back(std::string(size, 'x'));
  const auto turn = [&] {
    for (int i = 0; i < messages; ++i) {
      message m{model};
      ASSERT_EQ(state.send(std::move(m)), send_status::queued);
    }
    state.end_turn();
    for (const auto id : ids) {
      write_all(state, id);
    }
    state.dirty().clear();
  };
  for (int i = 0; i < 20; ++i) {
    turn();
  }
  const auto before = counted().requests;
  for (int i = 0; i < 20; ++i) {
    turn();
  }
  EXPECT_EQ(counted().requests - before, 0U);
}

// Other subscribers for each message, so that nothing is gathered over messages.
TEST(pub_state_memory, peers_that_change_with_each_message_cost_nothing) {
  pub_state state{socket_options{}};
  std::vector<peer_id> ids;
  for (int i = 0; i < 50; ++i) {
    ids.push_back(subscriber(state, std::string(1, static_cast<char>('A' + i % 10))));
  }
  const auto turn = [&] {
    for (int i = 0; i < 100; ++i) {
      const char first = static_cast<char>('A' + i % 10);
      ASSERT_EQ(state.send(message{std::string_view{&first, 1}}), send_status::queued);
    }
    state.end_turn();
    for (const auto id : ids) {
      write_all(state, id);
    }
    state.dirty().clear();
  };
  for (int i = 0; i < 20; ++i) {
    turn();
  }
  const auto before = counted().requests;
  for (int i = 0; i < 20; ++i) {
    turn();
  }
  EXPECT_EQ(counted().requests - before, 0U);
}

// Design 3.3: messages that are queued at the end of a turn pin at most four times their size.
TEST(pub_state_memory, a_subscriber_that_does_not_read_pins_little_beyond_its_messages) {
  for (const std::size_t size : {10U, 1'000U, 2'100U, 4'090U, 6'000U, 30'000U}) {
    for (const int messages_of_a_turn : {1, 2}) {
      socket_options options;
      options.send_mark.messages = 400;
      pub_state state{options};
      const auto id = subscriber(state);
      const auto reader = subscriber(state);
      const auto before = counted().live;
      const std::string body(size, 'x');
      for (int n = 0; n < 400; n += messages_of_a_turn) {
        for (int i = 0; i < messages_of_a_turn; ++i) {
          ASSERT_EQ(state.send(message{body}), send_status::queued);
        }
        state.end_turn();
        state.find(id)->out.compact();
        write_all(state, reader);
        state.dirty().clear();
      }
      const auto& out = state.find(id)->out;
      ASSERT_EQ(out.messages(), 400U);
      const auto pinned = counted().live - before;
      constexpr std::size_t blocks_at_hand = 512 * 1024;
      EXPECT_LE(pinned, 4 * out.bytes() + blocks_at_hand)
          << messages_of_a_turn << " messages of " << size << " bytes a turn";
    }
  }
}

// A subscriber that is not there any more leaves nothing.
TEST(pub_state_memory, disconnected_peers_leave_no_memory) {
  pub_state state{socket_options{}};
  const auto round = [&] {
    const auto id = subscriber(state, "topic");
    for (int i = 0; i < 50; ++i) {
      ASSERT_EQ(state.send(message{"topic", std::string(200, 'x')}), send_status::queued);
    }
    state.end_turn();
    state.dirty().clear();
    state.on_detached(*state.find(id));
  };
  for (int i = 0; i < 20; ++i) {
    round();
  }
  const auto warm = counted().live;
  for (int i = 0; i < 200; ++i) {
    round();
  }
  EXPECT_LE(counted().live, warm + 1'024);
}

}  // namespace
}  // namespace zmtp
