// Sending a batch in several attempts.

#include "zmtp/engine/batch.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace zmtp {
namespace {

// Counts how often any of its kind is moved.
struct item {
  explicit item(std::size_t n) : number{n} {}
  item(item&& other) noexcept : number{other.number} { ++moves; }
  item& operator=(item&& other) noexcept {
    number = other.number;
    ++moves;
    return *this;
  }
  item(const item&) = delete;
  item& operator=(const item&) = delete;
  ~item() = default;

  std::size_t number;
  static inline std::size_t moves = 0;
};

class sending_a_batch : public testing::Test {
protected:
  // `room` messages can be sent until room_ is set again.
  auto attempt(std::size_t room, std::size_t bad = static_cast<std::size_t>(-1)) {
    room_ = room;
    return batch_attempt{batch_, [this, bad](item& one, error_code& ec) {
                           if (one.number == bad) {
                             ec = errc::bad_message;
                             return true;
                           }
                           if (room_ == 0) {
                             return false;
                           }
                           --room_;
                           sent_.push_back(one.number);
                           return true;
                         }};
  }
  void fill(std::size_t count) {
    batch_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      batch_.emplace_back(i);
    }
    item::moves = 0;
  }
  void expect_sent(std::size_t count) const {
    ASSERT_EQ(sent_.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(sent_[i], i);
    }
  }

  std::vector<item> batch_;
  std::vector<std::size_t> sent_;
  std::size_t room_ = 0;
};

TEST_F(sending_a_batch, continues_where_the_last_attempt_stopped) {
  fill(10);
  auto one = attempt(4);
  error_code ec;
  std::size_t count = 0;
  EXPECT_FALSE(one(ec, count));
  EXPECT_EQ(count, 4U);
  room_ = 5;
  EXPECT_FALSE(one(ec, count));
  EXPECT_EQ(count, 9U);
  room_ = 5;
  EXPECT_TRUE(one(ec, count));
  EXPECT_FALSE(ec);
  EXPECT_EQ(count, 10U);
  expect_sent(10);
  one.finish();
  EXPECT_TRUE(batch_.empty());
}

TEST_F(sending_a_batch, keeps_unsent_messages_when_it_ends_early) {
  fill(10);
  auto one = attempt(4);
  error_code ec;
  std::size_t count = 0;
  EXPECT_FALSE(one(ec, count));
  one.finish();
  ASSERT_EQ(batch_.size(), 6U);
  EXPECT_EQ(batch_.front().number, 4U);
}

TEST_F(sending_a_batch, stops_at_a_bad_message_and_keeps_it) {
  fill(10);
  auto one = attempt(20, 3);
  error_code ec;
  std::size_t count = 0;
  EXPECT_TRUE(one(ec, count));
  EXPECT_EQ(ec, errc::bad_message);
  EXPECT_EQ(count, 3U);
  one.finish();
  ASSERT_EQ(batch_.size(), 7U);
  EXPECT_EQ(batch_.front().number, 3U);
}

// The rest is not moved up after each attempt.
TEST_F(sending_a_batch, moves_no_message_more_than_once) {
  constexpr std::size_t size = 100'000;
  fill(size);
  auto one = attempt(0);
  error_code ec;
  std::size_t count = 0;
  while (count + 10 < size) {
    room_ = 10;
    ASSERT_FALSE(one(ec, count));
  }
  one.finish();
  EXPECT_EQ(batch_.size(), size - count);
  EXPECT_LE(item::moves, size);
}

}  // namespace
}  // namespace zmtp
