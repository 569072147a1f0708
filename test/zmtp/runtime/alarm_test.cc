#include "test/support/failing_allocations.h"
#include "zmtp/runtime/timer.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <new>
#include <optional>

namespace zmtp {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;

// Times that have passed, so that a context finds all timers due at once, the earliest first.
class alarm_test : public testing::Test {
protected:
  // Does this when the timer of an alarm that was set to after(1ms) has fired, before its handler runs.
  template <class Act>
  void just_before(Act&& act) {
    before_.expires_at(after(0ms));
    before_.async_wait([act](error_code) { act(); });
  }
  [[nodiscard]] alarm::time_point after(std::chrono::milliseconds time) const {
    return begin_ + time;
  }

  const alarm::time_point begin_ = std::chrono::steady_clock::now() - 1s;
  asio::io_context context_{1};
  asio::steady_timer before_{context_};
  int rings_ = 0;
  std::optional<alarm> alarm_{std::in_place, context_.get_executor(), [this] { ++rings_; }};
};

TEST_F(alarm_test, rings_once) {
  alarm_->set(after(1ms));
  alarm_->set(after(2ms));
  context_.run();
  EXPECT_EQ(rings_, 1);
}

TEST_F(alarm_test, a_cancelled_alarm_does_not_ring_after_its_timer_fired) {
  just_before([this] { alarm_->cancel(); });
  alarm_->set(after(1ms));
  context_.run();
  EXPECT_EQ(rings_, 0);
}

TEST_F(alarm_test, an_alarm_set_again_after_a_cancel_rings) {
  alarm_->set(after(1ms));
  alarm_->cancel();
  alarm_->set(after(2ms));
  context_.run();
  EXPECT_EQ(rings_, 1);
}

TEST_F(alarm_test, rings_at_the_earliest_time_although_there_is_no_memory) {
  const auto early = std::chrono::steady_clock::now();
  alarm_->set(early + 2h);
  test::fail_allocations(0, 1'000);
  {
    const test::counting_allocations here;
    alarm_->set(early + 1h);
    alarm_->set(early);
    context_.run();
  }
  EXPECT_GT(test::stop_failing_allocations(), 0U);
  EXPECT_EQ(rings_, 1);
}

TEST_F(alarm_test, can_be_set_again_after_it_was_not_set_without_memory) {
  test::fail_allocations(0, 1'000);
  {
    const test::counting_allocations here;
    EXPECT_THROW(alarm_->set(after(1ms)), std::bad_alloc);
  }
  (void)test::stop_failing_allocations();
  alarm_->set(after(2ms));
  context_.run();
  EXPECT_EQ(rings_, 1);
}

TEST_F(alarm_test, a_destroyed_alarm_does_not_ring_after_its_timer_fired) {
  just_before([this] { alarm_.reset(); });
  alarm_->set(after(1ms));
  context_.run();
  EXPECT_EQ(rings_, 0);
}

}  // namespace
}  // namespace zmtp
