// The memory that a peer can make a connection hold: as much as it has sent, never as much as it
// has declared.

#include "test/support/allocations.h"
#include "test/support/conversation.h"
#include "test/support/sizes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>

namespace zmtp {
namespace {

using test::counted;
using test::frame;
using test::frame_header;
using test::framed;
using test::greeting_of;
using test::kibi;
using test::mebi;
using test::ready_of;
using test::reset_peak;
using test::side;

// A connection trusts a declared size as far as this.
constexpr std::size_t trusted = mebi + 64 * kibi;
// A read buffer, which connections of a thread share, and small change.
constexpr std::size_t slack = 80 * kibi;

// Reads into a connection, and counts the moves of received bytes.
class reader {
public:
  explicit reader(side& s) : side_{s} {}

  void read(std::string_view bytes, std::size_t at_most = test::everything) {
    while (!bytes.empty()) {
      const auto to = side_.talk.prepare();
      ASSERT_FALSE(to.empty());
      moves_ += end_ != nullptr && to.data() != end_ ? 1 : 0;
      const auto count = std::min({to.size(), at_most, bytes.size()});
      std::memcpy(to.data(), bytes.data(), count);
      bytes.remove_prefix(count);
      end_ = to.data() + count;
      side_.talk.commit(count, side_.now);
      side_.talk.receive_into(side_.in);
    }
  }
  // Bytes that are all alike.
  void pour(std::size_t bytes, std::size_t at_most) {
    const std::string piece(std::min(bytes, 64 * kibi), 'x');
    for (; bytes > piece.size(); bytes -= piece.size()) {
      read(piece, at_most);
    }
    read(std::string_view{piece}.substr(0, bytes), at_most);
  }

  [[nodiscard]] int moves() const { return moves_; }

private:
  side& side_;
  const std::byte* end_ = nullptr;
  int moves_ = 0;
};

class conversation_memory : public testing::Test {
protected:
  // The pool's blocks are this thread's and stay: they count for no connection.
  conversation_memory() {
    side s;
    shake_hands(s, "ROUTER");
    s.hear(framed({std::string(300, 'x')}) + framed({"cut"}).substr(0, 3));
    s.talk.settle();
  }
};

TEST_F(conversation_memory, a_declared_size_is_trusted_up_to_a_mebibyte) {  // Z-11
  side s;
  shake_hands(s, "ROUTER");
  reset_peak();
  const auto before = counted().live;
  reader from{s};
  from.read(frame_header(0, 64 * mebi - 9));
  from.pour(10 * kibi, kibi);
  EXPECT_LE(counted().peak - before, trusted + slack);
  s.talk.settle();
  EXPECT_LE(counted().live - before, trusted + slack);
  EXPECT_GE(counted().live - before, 10 * kibi) << "nothing is counted";
}

TEST_F(conversation_memory, memory_stays_proportional_to_the_received_bytes) {
  side s;
  shake_hands(s, "ROUTER");
  const auto before = counted().live;
  reader from{s};
  from.read(frame_header(0, 64 * mebi - 9));
  for (std::size_t came = 0; came < 16 * mebi; came += 256 * kibi) {
    reset_peak();
    from.pour(256 * kibi, 64 * kibi);
    const auto all = came + 256 * kibi;
    ASSERT_LE(counted().live - before, std::max(trusted, 4 * all) + slack) << all;
    // The peak while the connection moves it.
    ASSERT_LE(counted().peak - before, std::max(trusted, 5 * all) + slack) << all;
  }
}

TEST_F(conversation_memory, a_large_frame_is_not_moved_for_each_piece_of_it) {
  for (const std::size_t at_most : {kibi, 16 * kibi, 64 * kibi, mebi}) {
    side s;
    shake_hands(s, "ROUTER");
    reader from{s};
    from.read(frame_header(0, 8 * mebi));
    from.pour(8 * mebi, at_most);
    EXPECT_LE(from.moves(), 3) << at_most;
    ASSERT_EQ(s.in.size(), 1U);
    EXPECT_EQ(s.in.pop().front().size(), 8 * mebi);
  }
}

TEST_F(conversation_memory, a_message_of_a_mebibyte_is_moved_once) {
  side s;
  shake_hands(s, "ROUTER");
  reader from{s};
  const auto before = s.talk.moved();
  from.read(frame_header(0, mebi));
  from.pour(mebi, 64 * kibi);
  EXPECT_EQ(from.moves(), 1);
  EXPECT_LE(s.talk.moved() - before, 256 * kibi);
  EXPECT_EQ(s.in.pop().front().size(), mebi);
}

TEST_F(conversation_memory, at_most_a_third_of_a_large_message_is_moved) {
  side s;
  shake_hands(s, "ROUTER");
  reader from{s};
  const auto before = s.talk.moved();
  from.read(frame_header(0, 16 * mebi));
  from.pour(16 * mebi, 64 * kibi);
  EXPECT_LE(s.talk.moved() - before, 16 * mebi / 3);
  EXPECT_EQ(s.in.pop().front().size(), 16 * mebi);
}

TEST_F(conversation_memory, a_frame_of_the_buffer_size_is_not_moved_for_each_byte) {
  side s;
  shake_hands(s, "ROUTER");
  reader from{s};
  from.read(frame_header(0, 64 * kibi - 9));
  from.pour(64 * kibi - 9, 1);
  EXPECT_LE(from.moves(), 2);
  EXPECT_EQ(s.in.size(), 1U);
}

// A turn ends behind each byte.
TEST_F(conversation_memory, a_message_byte_by_byte_is_moved_in_proportion_to_its_size) {
  for (const auto& bytes :
       {framed({std::string(3 * kibi, 'x')}), framed({std::string(4 * kibi + 100, 'x')}),
        framed({std::string(60 * kibi, 'x')}), framed({std::string(400 * kibi, 'x')}),
        framed(test::parts(1'000, std::string(100, 'x')))}) {
    side s;
    shake_hands(s, "ROUTER");
    const auto before = s.talk.moved();
    for (const char byte : bytes) {
      s.hear({&byte, 1});
      s.talk.settle();
    }
    EXPECT_EQ(s.news().size(), 1U);
    EXPECT_LE(s.talk.moved() - before, 8 * bytes.size()) << bytes.size();
  }
}

TEST_F(conversation_memory, a_large_message_of_many_parts_is_not_moved_for_each_part) {
  side s;
  shake_hands(s, "ROUTER");
  reader from{s};
  for (int i = 0; i < 1000; ++i) {
    from.read(frame_header(test::more, 8 * kibi));
    from.pour(8 * kibi, 64 * kibi);
  }
  from.read(frame(0, "end"));
  EXPECT_LE(from.moves(), 20);
  ASSERT_EQ(s.in.size(), 1U);
  EXPECT_EQ(s.in.pop().size(), 1001U);
}

// The ledger gets each request for memory before the connection takes it, and no other call.
TEST_F(conversation_memory, is_announced_before_a_read) {
  for (const std::size_t size : {200 * kibi, 300 * kibi, 8 * mebi}) {
    side s;
    shake_hands(s, "ROUTER");
    s.hear(framed({std::string(1000, 'm')}));
    EXPECT_EQ(s.talk.next_memory(), 0U);
    const auto bytes = framed({std::string(size, 'x')});
    std::size_t most = 0;
    for (std::size_t at = 0; at < bytes.size();) {
      const auto notified = s.talk.next_memory();
      most = std::max(most, notified);
      const auto before = counted().live - s.talk.own_memory();
      const auto to = s.talk.prepare();
      ASSERT_EQ(s.talk.own_memory(), notified);
      EXPECT_EQ(s.talk.next_memory(), notified) << "it has it";
      if (notified != 0) {
        EXPECT_LE(counted().live, before + notified + kibi);
      }
      const auto count = std::min({to.size(), bytes.size() - at, 50 * kibi});
      std::memcpy(to.data(), bytes.data() + at, count);
      at += count;
      s.talk.commit(count, s.now);
      s.talk.receive_into(s.in);
    }
    EXPECT_EQ(most == 0, size < 256 * kibi) << size;
    EXPECT_LE(most, size + size / 2);
    EXPECT_EQ(s.talk.next_memory(), 0U);
    s.talk.settle();
    EXPECT_EQ(s.talk.own_memory(), 0U);
  }
}

// The connection copies a small rest when a turn ends. A larger rest keeps the block that it was
// read into.
TEST_F(conversation_memory, moves_a_large_rest_of_a_turn_to_its_own_block) {
  for (const std::size_t size : {kibi, 60 * kibi, 70 * kibi, 200 * kibi}) {
    side s;
    shake_hands(s, "ROUTER");
    s.talk.settle();
    const auto bytes = framed({std::string(size + kibi, 'x')});
    for (std::size_t at = 0; at < size; at += kibi) {
      s.hear(bytes.substr(at, kibi));
    }
    EXPECT_EQ(s.talk.own_memory(), 0U) << "others may read to it, in turn";
    s.talk.settle();
    EXPECT_EQ(s.talk.own_memory(), size < 64 * kibi ? 0 : 256 * kibi) << size;
    EXPECT_EQ(s.talk.next_memory(), s.talk.own_memory());
    s.hear(bytes.substr(size));
    EXPECT_EQ(s.news().size(), 1U);
    EXPECT_EQ(s.talk.next_memory(), 0U);
    s.talk.settle();
    EXPECT_EQ(s.talk.own_memory(), 0U);
  }
}

TEST_F(conversation_memory, is_freed_when_the_messages_will_not_be_received) {
  side s;
  shake_hands(s, "ROUTER");
  s.talk.settle();
  const auto before = counted().live;
  s.hear(framed({std::string(2 * mebi, 'x')}).substr(0, mebi + mebi / 2));
  EXPECT_GE(counted().live, before + mebi);
  s.talk.drop_unread();
  EXPECT_LE(counted().live, before + kibi);
  EXPECT_EQ(s.talk.own_memory(), 0U);
  s.talk.receive_into(s.in);
  EXPECT_FALSE(s.talk.over());
}

TEST_F(conversation_memory, nothing_is_trusted_before_admission) {
  for (const auto& sent : {frame_header(0, 32 * mebi), frame_header(test::more, 300),
                           frame_header(test::command, 32 * mebi)}) {
    side s;
    reset_peak();
    const auto before = counted().live;
    s.hear(greeting_of(3, 1) + sent);
    EXPECT_TRUE(s.talk.over());
    EXPECT_LE(counted().largest, 64 * kibi + 64);
    EXPECT_LE(counted().peak - before, slack);
  }
}

TEST_F(conversation_memory, a_peer_before_admission_holds_at_most_8_kibibytes) {
  const auto greeting = greeting_of(3, 1);
  const auto ready = ready_of("ROUTER");
  const std::string glued(60 * kibi, 'x');
  const std::string all_that_may_come[] = {
      "",
      greeting.substr(0, 11),
      greeting,
      greeting + ready.substr(0, 20),
      greeting + frame_header(test::command, 4096) + std::string(4095, 'x'),
      greeting + ready,
      greeting + ready + frame_header(0, 32 * mebi) + glued,
  };
  for (const auto& sent : all_that_may_come) {
    constexpr std::size_t peers = 50;
    std::deque<side> sides;
    const auto before = counted().live;
    for (std::size_t i = 0; i < peers; ++i) {
      auto& s = sides.emplace_back(test::side_options{.admits = false});
      s.hear(sent);
      s.say();
      s.talk.settle();
      ASSERT_FALSE(s.talk.traffic());
    }
    // The memory of the test's own side does not count.
    EXPECT_LE((counted().live - before) / peers, 8 * kibi + sizeof(side) + 2 * kibi) << sent.size();
  }
}

TEST_F(conversation_memory, an_idle_connection_owns_no_buffer) {
  std::deque<side> sides;
  const auto begin = counted().live;
  for (int i = 0; i < 50; ++i) {
    shake_hands(sides.emplace_back(), "ROUTER");
    sides.back().talk.settle();
  }
  const auto before = counted().live;
  EXPECT_LE((before - begin) / sides.size(), 4 * kibi + sizeof(side));
  for (auto& s : sides) {
    s.hear(framed({std::string(3000, 'm')}) + framed({"small"}));
    s.news();
    s.talk.settle();
    s.in.compact();
  }
  EXPECT_LE(counted().live, before + 50 * 256);
}

TEST_F(conversation_memory, a_small_partial_message_moves_to_a_small_block_after_the_turn) {
  std::deque<side> sides(50);
  for (auto& s : sides) {
    shake_hands(s, "ROUTER");
    s.talk.settle();
  }
  const auto before = counted().live;
  for (auto& s : sides) {
    s.hear(framed({std::string(300, 'm')}) + framed({std::string(300, 'm')}).substr(0, 200));
    s.news();
    s.talk.settle();
    s.in.compact();
  }
  EXPECT_LE((counted().live - before) / sides.size(), 5 * kibi);
  for (auto& s : sides) {
    s.hear(framed({std::string(300, 'm')}).substr(200));
    EXPECT_EQ(s.news(), std::vector{test::heard_message(test::parts{std::string(300, 'm')})});
  }
}

// A user that subscribes and cancels the same topics repeatedly, while the peer sends PINGs.
TEST_F(conversation_memory, pending_commands_do_not_grow_while_the_peer_does_not_read) {
  for (const unsigned minor : {0U, 1U}) {
    side s{{.type = socket_type::sub}};
    shake_hands(s, "PUB", minor);
    const auto round = [&] {
      // Before they are turned into bytes, and after.
      for (int i = 0; i < 2; ++i) {
        for (int n = 0; n < 1'000; ++n) {
          const auto topic = "topic " + std::to_string(n);
          i == 0 ? s.talk.subscribe(topic) : s.talk.cancel(topic);
        }
        static_cast<void>(s.say(1));
        s.now += std::chrono::seconds{2};
        s.hear(test::ping("now"));
        s.talk.probe(s.now, {});
      }
    };
    round();
    round();
    const auto before = counted().live;
    reset_peak();
    for (int i = 0; i < 300; ++i) {
      round();
    }
    EXPECT_LE(counted().peak - before, 200 * kibi);
  }
}

}  // namespace
}  // namespace zmtp
