// Timers of the system's runtime and of a manual one behave in the same way.

#include "zmtp/runtime/timer.h"

#include "test/support/manual_runtime.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace zmtp::test {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;

enum class kind { system, manual };

class timers : public testing::TestWithParam<kind> {
protected:
  timers() {
    if (GetParam() == kind::manual) {
      manual_runtime::install_in(*context_);
    }
    timer_.emplace(context_->get_executor());
  }
  // A time that has passed, so that no test waits.
  [[nodiscard]] timer::time_point after(std::chrono::milliseconds time) {
    return runtime::of(context_->get_executor()).now() - 1min + time;
  }
  auto note(std::string name) {
    return [this, name = std::move(name)](error_code ec) {
      EXPECT_TRUE(!ec || ec == asio::error::operation_aborted) << ec.message();
      ended_.push_back(ec ? name + " aborted" : name);
    };
  }
  std::vector<std::string> run() {
    EXPECT_EQ(ended_, std::vector<std::string>{}) << "inside a call of the timer";
    context_->restart();
    context_->poll();
    return std::exchange(ended_, {});
  }

  std::optional<asio::io_context> context_{std::in_place, 1};
  std::optional<timer> timer_;
  std::vector<std::string> ended_;
};

using names = std::vector<std::string>;

TEST_P(timers, complete_when_the_time_has_passed) {
  timer_->expires_at(after(0ms));
  timer_->async_wait(note("wait"));
  EXPECT_EQ(run(), names{"wait"});
}

TEST_P(timers, complete_all_waits_and_later_ones) {
  timer_->expires_at(after(0ms));
  timer_->async_wait(note("first"));
  timer_->async_wait(note("second"));
  EXPECT_EQ(run(), (names{"first", "second"}));
  timer_->async_wait(note("third"));
  EXPECT_EQ(run(), names{"third"});
}

TEST_P(timers, count_a_duration_from_now) {
  timer_->expires_after(1h);
  timer_->async_wait(note("in an hour"));
  EXPECT_EQ(run(), names{});
  timer_->expires_after(-1h);
  timer_->async_wait(note("an hour ago"));
  EXPECT_EQ(run(), (names{"in an hour aborted", "an hour ago"}));
}

TEST_P(timers, do_not_expire_before_a_time_is_set) {
  timer_->async_wait(note("condition"));
  EXPECT_EQ(run(), names{});
  timer_->cancel();
  EXPECT_EQ(run(), names{"condition aborted"});
}

TEST_P(timers, abort_waits_if_the_time_changes) {
  timer_->expires_after(1h);
  timer_->async_wait(note("old"));
  timer_->expires_at(after(0ms));
  timer_->async_wait(note("new"));
  EXPECT_EQ(run(), (names{"old aborted", "new"}));
}

TEST_P(timers, keep_their_time_after_a_cancel) {
  timer_->expires_at(after(0ms));
  timer_->cancel();
  timer_->async_wait(note("wait"));
  EXPECT_EQ(run(), names{"wait"});
}

TEST_P(timers, abort_waits_when_they_are_destroyed) {
  timer_->expires_after(1h);
  timer_->async_wait(note("wait"));
  timer_.reset();
  EXPECT_EQ(run(), names{"wait aborted"});
}

TEST_P(timers, abort_the_wait_whose_slot_is_cancelled) {
  asio::cancellation_signal cancel;
  timer_->expires_after(1h);
  timer_->async_wait(asio::bind_cancellation_slot(cancel.slot(), note("one")));
  timer_->async_wait(note("other"));
  cancel.emit(asio::cancellation_type::total);
  EXPECT_EQ(run(), names{"one aborted"});
  cancel.emit(asio::cancellation_type::total);
  EXPECT_EQ(run(), names{});
  timer_->cancel();
  EXPECT_EQ(run(), names{"other aborted"});
}

TEST_P(timers, keep_the_context_running_while_a_wait_is_pending) {
  timer_->expires_after(1h);
  timer_->async_wait(note("wait"));
  run();
  EXPECT_FALSE(context_->stopped());
  timer_->cancel();
  EXPECT_EQ(run(), names{"wait aborted"});
  EXPECT_TRUE(context_->stopped());
}

TEST_P(timers, are_destroyed_with_the_context_by_handlers_that_own_them) {
  auto own = std::make_shared<timer>(context_->get_executor());
  const std::weak_ptr<timer> left{own};
  own->expires_after(1h);
  auto& waiting = *own;
  waiting.async_wait([kept = std::move(own)](error_code) { FAIL() << "after the context"; });
  timer_.reset();
  EXPECT_FALSE(left.expired());
  context_.reset();
  EXPECT_TRUE(left.expired());
}

INSTANTIATE_TEST_SUITE_P(of, timers, testing::Values(kind::system, kind::manual),
                         [](const auto& which) {
                           return which.param == kind::system ? "system" : "manual";
                         });

class deadlines : public testing::Test {
protected:
  [[nodiscard]] auto at(deadline until) const { return until.at(runtime_); }

  manual_runtime runtime_;
};

TEST_F(deadlines, are_absent_by_default) {
  EXPECT_EQ(at({}), std::nullopt);
  EXPECT_EQ(at(std::optional<deadline::clock::time_point>{}), std::nullopt);
}

TEST_F(deadlines, keep_a_point_in_time) {
  const auto time = runtime_.now() + 5s;
  const deadline until{time};
  runtime_.advance(3s);
  EXPECT_EQ(at(until), time);
  EXPECT_EQ(at(std::optional{time}), time);
}

TEST_F(deadlines, count_a_duration_from_the_start_of_the_operation) {
  const deadline until{5s};
  EXPECT_EQ(at(until), runtime_.now() + 5s);
  runtime_.advance(3s);
  EXPECT_EQ(at(until), runtime_.now() + 5s);
}

TEST_F(deadlines, take_a_negative_duration_for_now) {
  EXPECT_EQ(at(-1h), runtime_.now());
  EXPECT_EQ(at(std::chrono::hours::min()), runtime_.now());
}

TEST_F(deadlines, are_absent_beyond_the_range_of_the_clock) {
  EXPECT_EQ(at(std::chrono::hours::max()), std::nullopt);
  EXPECT_EQ(at(std::chrono::duration<double>{1e300}), std::nullopt);
}

}  // namespace
}  // namespace zmtp::test
