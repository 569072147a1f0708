// The handlers of operations in progress: taken in any order, once, in bounded memory.
#include "chp/waiting_handlers.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace chp {
namespace {

namespace asio = boost::asio;

class waiting_handlers_test : public testing::Test {
protected:
  using handlers = waiting_handlers<void(int)>;

  void add(std::uint64_t number) {
    waiting_.add(
        number,
        [this, number](int with) {
          done_.push_back({number, with});
        },
        [] {});
  }
  using calls = std::vector<std::pair<std::uint64_t, int>>;

  asio::io_context context_;
  handlers waiting_{context_.get_executor()};
  calls done_;
};

TEST_F(waiting_handlers_test, completes_each_once_in_any_order) {
  for (const std::uint64_t n : {1U, 2U, 5U, 6U}) {
    add(n);
  }
  EXPECT_EQ(waiting_.first(), 1U);
  waiting_.complete_now(5, 50);
  waiting_.complete_now(5, 51);
  waiting_.complete_now(3, 30);
  waiting_.complete_now(7, 70);
  waiting_.complete_now(1, 10);
  EXPECT_EQ(waiting_.first(), 2U);
  waiting_.complete_now(2, 20);
  EXPECT_EQ(waiting_.first(), 6U);
  waiting_.complete_now(1, 11);
  waiting_.complete_now(6, 60);
  EXPECT_EQ(done_, (calls{{5, 50}, {1, 10}, {2, 20}, {6, 60}}));
  EXPECT_TRUE(waiting_.empty());
  waiting_.complete_now(6, 61);
  EXPECT_EQ(done_.size(), 4U);
}

TEST_F(waiting_handlers_test, completes_later_outside_of_the_call) {
  add(1);
  waiting_.complete_later(1, 10);
  EXPECT_TRUE(waiting_.empty());
  EXPECT_TRUE(done_.empty());
  context_.run();
  EXPECT_EQ(done_, (calls{{1, 10}}));
}

TEST_F(waiting_handlers_test, an_operation_that_takes_long_keeps_no_places_of_others) {
  add(1);
  add(2);
  for (std::uint64_t n = 3; n <= 10'000; ++n) {
    add(n);
    waiting_.complete_now(n, 0);
    ASSERT_LE(waiting_.places(), 100U);
  }
  EXPECT_EQ(done_.size(), 9'998U);
  waiting_.complete_now(2, 7);
  EXPECT_EQ(done_.back(), (std::pair<std::uint64_t, int>{2, 7}));
  waiting_.complete_now(1, 8);
  EXPECT_EQ(waiting_.places(), 0U);
}

TEST_F(waiting_handlers_test, a_cancelled_one_is_told_until_it_is_completed) {
  asio::cancellation_signal signal;
  int cancelled = 0;
  const auto start = [&](handlers& at, std::uint64_t number) {
    at.add(number, asio::bind_cancellation_slot(signal.slot(), [](int) {}), [&] { ++cancelled; });
  };
  start(waiting_, 1);
  signal.emit(asio::cancellation_type::total);
  EXPECT_EQ(cancelled, 1);
  waiting_.complete_now(1, 0);
  signal.emit(asio::cancellation_type::total);
  EXPECT_EQ(cancelled, 1);
  auto others = std::make_unique<handlers>(context_.get_executor());
  start(*others, 1);
  others.reset();
  signal.emit(asio::cancellation_type::total);
  EXPECT_EQ(cancelled, 1) << "they are gone";
}

}  // namespace
}  // namespace chp
