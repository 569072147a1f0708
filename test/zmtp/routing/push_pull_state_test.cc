// PUSH and PULL (RFC 30): each message to one of the peers with room, in turn; from all peers fairly.

#include "test/support/allocations.h"
#include "test/support/routing.h"
#include "zmtp/routing/round_robin_state.h"

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <string>
#include <vector>

namespace zmtp {
namespace {

using test::attach_new;
using test::first_parts;
using test::framed;
using test::peer_sends;
using test::sending_at_most;
using test::write;

socket_options announcing() {
  socket_options options;
  options.announce_peers = true;
  return options;
}

send_status send(push_state& push, int number) { return push.send({std::to_string(number)}); }

TEST(push_state, without_a_peer_is_full_and_keeps_the_message) {
  push_state push{{}};
  EXPECT_FALSE(push.writable());
  message m{"kept", "whole"};
  EXPECT_EQ(push.send(std::move(m)), send_status::full);
  EXPECT_EQ(m, (message{"kept", "whole"}));  // NOLINT: that is what is tested
  EXPECT_EQ(push.counters().messages_sent, 0U);
  EXPECT_EQ(push.counters().dropped_full, 0U);
}

TEST(push_state, sends_to_each_peer_in_turn_also_to_new_ones) {
  push_state push{{}};
  const auto a = attach_new(push);
  const auto b = attach_new(push);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(send(push, i), send_status::queued);
  }
  EXPECT_EQ(write(push, a), framed({"0"}) + framed({"2"}));
  EXPECT_EQ(write(push, b), framed({"1"}) + framed({"3"}));
  const auto c = attach_new(push);
  for (int i = 0; i < 9; ++i) {
    EXPECT_EQ(send(push, i), send_status::queued);
  }
  for (const auto id : {a, b, c}) {
    EXPECT_EQ(write(push, id).size(), 3 * framed({"0"}).size());
  }
}

TEST(push_state, adds_nothing_to_a_message) {
  push_state push{{}};
  const auto id = attach_new(push);
  EXPECT_EQ(push.send({"", "a", "", std::string(300, 'x')}), send_status::queued);
  EXPECT_EQ(write(push, id), framed({"", "a", "", std::string(300, 'x')}));
}

TEST(push_state, is_unwritten_until_every_peer_has_been_written_its_messages) {
  push_state push{{}};
  EXPECT_FALSE(push.unwritten());
  const auto a = attach_new(push);
  const auto b = attach_new(push);
  EXPECT_FALSE(push.unwritten());
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(send(push, i), send_status::queued);
  }
  EXPECT_TRUE(push.unwritten());
  EXPECT_FALSE(write(push, a).empty());
  EXPECT_TRUE(push.unwritten());
  EXPECT_FALSE(write(push, b).empty());
  EXPECT_FALSE(push.unwritten());
}

TEST(push_state, skips_full_peers_and_drops_nothing) {
  push_state push{sending_at_most({.messages = 3, .bytes = {}})};
  const auto slow = attach_new(push);
  const auto quick = attach_new(push);
  std::string to_quick;
  int sent = 0;
  for (int i = 0; i < 100; ++i) {
    while (send(push, sent) == send_status::queued) {
      ++sent;
    }
    EXPECT_FALSE(push.writable());
    to_quick += write(push, quick);
    EXPECT_TRUE(push.writable());
  }
  std::vector<std::string> arrived;
  for (const auto& stream : {write(push, slow), to_quick}) {
    for (const auto& m : test::content_of(stream).messages) {
      arrived.push_back(m.at(0));
    }
  }
  EXPECT_EQ(arrived.size(), static_cast<std::size_t>(sent));
  EXPECT_EQ((std::vector<std::string>{arrived.begin(), arrived.begin() + 3}),
            (std::vector<std::string>{"0", "2", "4"}));
  // In the order of their sending, those of the quick one too.
  for (std::size_t i = 4; i < arrived.size(); ++i) {
    EXPECT_LT(std::stoi(arrived[i - 1]), std::stoi(arrived[i]));
  }
  EXPECT_EQ(push.counters().messages_sent, static_cast<std::size_t>(sent));
  EXPECT_EQ(push.counters().dropped_full, 0U);
}

TEST(push_state, exceeds_a_mark_by_one_message_at_most) {
  push_state push{sending_at_most({.messages = 10, .bytes = 1'000})};
  const auto id = attach_new(push);
  EXPECT_EQ(push.send({std::string(999, 'x')}), send_status::queued);
  EXPECT_EQ(push.send({"x"}), send_status::full);
  EXPECT_LE(push.find(id)->out.bytes(), 1'000U + 999U);
}

TEST(push_state, an_endpoint_takes_messages_before_and_between_connections) {
  push_state push{sending_at_most({.messages = 3, .bytes = {}})};
  auto& p = push.open_pipe(true);
  EXPECT_EQ(send(push, 0), send_status::queued);
  push.on_attached(p, {}, 1);
  EXPECT_EQ(send(push, 1), send_status::queued);
  // The whole first message and a byte of the second: that one comes again, whole.
  EXPECT_EQ(write(push, p.id, framed({"0"}).size() + 1).size(), framed({"0"}).size() + 1);
  push.on_detached(p);
  EXPECT_EQ(send(push, 2), send_status::queued);
  push.on_attached(p, {}, 1);
  EXPECT_EQ(write(push, p.id), framed({"1"}) + framed({"2"}));
  EXPECT_EQ(push.counters().dropped_detached, 0U);
}

TEST(push_state, messages_for_an_accepted_peer_are_dropped_and_counted_when_it_disconnects) {
  push_state push{{}};
  const auto id = attach_new(push);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(send(push, i), send_status::queued);
  }
  push.on_detached(*push.find(id));
  EXPECT_EQ(push.counters().dropped_detached, 5U);
  EXPECT_EQ(push.find(id), nullptr);
  EXPECT_FALSE(push.writable());
}

TEST(push_state, drops_and_counts_messages_of_a_peer) {
  push_state push{{}};
  const auto id = attach_new(push);
  for (int i = 0; i < 3; ++i) {
    peer_sends(push, id, {"from a PULL"});
  }
  EXPECT_EQ(push.counters().dropped_unexpected, 3U);
  EXPECT_EQ(push.counters().messages_received, 0U);
  EXPECT_FALSE(push.readable());
  message m;
  EXPECT_FALSE(push.receive(m));
  EXPECT_TRUE(push.find(id)->in.empty());
  EXPECT_TRUE(push.writable());
}

TEST(push_state, keeps_decoding_messages_of_a_peer_above_the_mark) {
  push_state push{{}};
  const auto id = attach_new(push);
  push.find(id)->blocked = true;
  peer_sends(push, id, {"one of many"});
  EXPECT_EQ(push.resumable(), std::vector{id});
  EXPECT_FALSE(push.find(id)->blocked);
}

// A PUSH never receives, so the announcements would stay in its queue.
TEST(push_state, keeps_no_announcements) {
  push_state push{announcing()};
  auto& endpoint = push.open_pipe(true);
  for (int i = 0; i < 100; ++i) {
    push.on_attached(endpoint, {}, 1);
    push.on_detached(endpoint);
  }
  EXPECT_TRUE(endpoint.in.empty()) << endpoint.in.size() << " announcements wait";
}

TEST(push_state, forgets_disconnected_peers_even_if_it_announces_peers) {
  push_state push{announcing()};
  for (int i = 0; i < 100; ++i) {
    const auto id = attach_new(push);
    peer_sends(push, id, {"from a PULL"});
    push.on_detached(*push.find(id));
  }
  std::size_t left = 0;
  push.for_each_pipe([&](const pipe&) { ++left; });
  EXPECT_EQ(left, 0U);
  EXPECT_EQ(push.counters().dropped_unexpected, 100U) << "announcements do not count as messages";
}

TEST(push_state, in_the_steady_state_allocates_nothing) {
  push_state push{sending_at_most({.messages = 100, .bytes = {}})};
  const std::array peers{attach_new(push), attach_new(push), attach_new(push)};
  const message model{"a message of", "two parts"};
  const auto round = [&] {
    for (auto m = model; push.send(std::move(m)) == send_status::queued; m = model) {
    }
    for (const auto id : peers) {
      auto& p = *push.find(id);
      std::array<send_queue::piece, 64> pieces;
      while (const auto count = p.out.gather(pieces)) {
        for (std::size_t i = 0; i < count; ++i) {
          p.out.advance(pieces[i].size());
        }
      }
      p.out.compact();
      p.dirty = false;
      push.on_written(p);
    }
    push.dirty().clear();
  };
  for (int i = 0; i < 10; ++i) {
    round();
  }
  const auto before = test::counted().requests;
  for (int i = 0; i < 100; ++i) {
    round();
  }
  EXPECT_EQ(push.counters().messages_sent, 110U * 300U);
  EXPECT_EQ(test::counted().requests - before, 0U);
}

TEST(pull_state, receives_from_each_peer_in_turn_and_in_order) {
  pull_state pull{{}};
  const auto a = attach_new(pull);
  const auto b = attach_new(pull);
  for (int i = 0; i < 3; ++i) {
    peer_sends(pull, a, {"a" + std::to_string(i)});
  }
  peer_sends(pull, b, {"b0"});
  peer_sends(pull, b, {"b1"});
  EXPECT_EQ(first_parts(pull), (std::vector<std::string>{"a0", "b0", "a1", "b1", "a2"}));
  EXPECT_EQ(pull.counters().messages_received, 5U);
}

TEST(pull_state, a_flooding_peer_delays_each_other_by_one_message_of_each) {
  pull_state pull{{}};
  const auto flooding = attach_new(pull);
  std::vector<peer_id> quiet;
  for (int i = 0; i < 10; ++i) {
    quiet.push_back(attach_new(pull));
  }
  for (int i = 0; i < 1'000; ++i) {
    peer_sends(pull, flooding, {"flood"});
  }
  message m;
  ASSERT_TRUE(pull.receive(m));
  for (const auto id : quiet) {
    peer_sends(pull, id, {"quiet"});
  }
  int of_the_quiet = 0;
  for (int i = 0; i < 11; ++i) {
    ASSERT_TRUE(pull.receive(m));
    of_the_quiet += m.front() == "quiet" ? 1 : 0;
  }
  EXPECT_EQ(of_the_quiet, 10);
}

TEST(pull_state, changes_no_message) {
  pull_state pull{{}};
  const auto id = attach_new(pull);
  const message sent{"", "id", "", "", std::string(300, 'x')};
  peer_sends(pull, id, sent);
  message m;
  ASSERT_TRUE(pull.receive(m));
  EXPECT_EQ(m, sent);
}

TEST(pull_state, sends_nothing) {
  pull_state pull{{}};
  attach_new(pull);
  EXPECT_FALSE(pull.writable());
  EXPECT_NE(pull.send({"nobody"}), send_status::queued);
  EXPECT_TRUE(pull.dirty().empty());
}

TEST(pull_state, delivers_the_messages_of_a_disconnected_peer_before_it_forgets_it) {
  pull_state pull{{}};
  const auto id = attach_new(pull);
  peer_sends(pull, id, {"1"});
  peer_sends(pull, id, {"2"});
  pull.on_detached(*pull.find(id));
  EXPECT_EQ(first_parts(pull), (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(pull.find(id), nullptr);
  EXPECT_FALSE(pull.readable());
}

TEST(pull_state, gives_no_announcements_as_messages) {
  pull_state pull{announcing()};
  const auto id = attach_new(pull);
  peer_sends(pull, id, {"1"});
  pull.on_detached(*pull.find(id));
  attach_new(pull);
  EXPECT_EQ(first_parts(pull), std::vector<std::string>{"1"});
  EXPECT_EQ(pull.find(id), nullptr);
  EXPECT_EQ(pull.counters().messages_received, 1U);
}

TEST(pull_state, in_the_steady_state_allocates_nothing) {
  pull_state pull{{}};
  const std::array peers{attach_new(pull), attach_new(pull), attach_new(pull)};
  const message model{"a message of", "two parts"};
  message m;
  const auto round = [&] {
    for (int i = 0; i < 100; ++i) {
      for (const auto id : peers) {
        peer_sends(pull, id, model);
      }
    }
    while (pull.receive(m)) {
    }
    for (const auto id : peers) {
      pull.find(id)->in.compact();
    }
  };
  for (int i = 0; i < 10; ++i) {
    round();
  }
  const auto before = test::counted().requests;
  for (int i = 0; i < 100; ++i) {
    round();
  }
  EXPECT_EQ(pull.counters().messages_received, 110U * 300U);
  EXPECT_EQ(test::counted().requests - before, 0U);
}

}  // namespace
}  // namespace zmtp
