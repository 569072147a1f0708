// A pending operation is outstanding work: io_context::run() returns after the last one, and not before.
#include "zmtp/error.h"
#include "zmtp/message.h"
#include "zmtp/socket/monitor.h"
#include "zmtp/socket/pipeline_sockets.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <chrono>

namespace zmtp {
namespace {

using namespace std::chrono_literals;

class outstanding_work : public testing::Test {
protected:
  // Runs what is ready. Returns whether run() would wait for more.
  bool has_work() {
    context_.restart();
    context_.poll();
    return !context_.stopped();
  }
  // Counts calls, and can be cancelled.
  auto handler() {
    return asio::bind_cancellation_slot(stop_.slot(),
                                        [this](error_code, const auto&...) { ++calls_; });
  }

  asio::io_context context_{1};
  asio::cancellation_signal stop_;
  int calls_ = 0;
  pull_socket pull_{context_.get_executor()};
};

TEST_F(outstanding_work, a_socket_alone_is_none) { EXPECT_FALSE(has_work()); }

TEST_F(outstanding_work, is_each_pending_operation) {
  pull_.async_receive(handler());
  EXPECT_TRUE(has_work());
  EXPECT_TRUE(has_work()) << "a turn without a result has released it";
  stop_.emit(asio::cancellation_type::total);
  EXPECT_FALSE(has_work());
  EXPECT_EQ(calls_, 1);
}

TEST_F(outstanding_work, remains_until_the_last_operation_ends) {
  pull_.async_receive([&](error_code, const message&) { ++calls_; });
  pull_.async_wait_readable(handler());
  EXPECT_TRUE(has_work());
  stop_.emit(asio::cancellation_type::total);
  EXPECT_TRUE(has_work());
  EXPECT_EQ(calls_, 1);
  pull_.close();
  EXPECT_FALSE(has_work());
  EXPECT_EQ(calls_, 2);
}

// run() returns only if no work is left.
TEST_F(outstanding_work, ends_at_the_deadline) {
  pull_.async_receive(deadline{1ms}, [&](error_code ec, const message&) {
    EXPECT_EQ(ec, errc::timed_out);
    ++calls_;
  });
  context_.run();
  EXPECT_EQ(calls_, 1);
}

TEST_F(outstanding_work, is_the_next_operation_of_a_handler) {
  pull_.async_receive(asio::bind_cancellation_slot(
      stop_.slot(), [&](error_code, const message&) { pull_.async_receive(handler()); }));
  ASSERT_TRUE(has_work());
  stop_.emit(asio::cancellation_type::total);
  EXPECT_TRUE(has_work());
  stop_.emit(asio::cancellation_type::total);
  EXPECT_FALSE(has_work());
  EXPECT_EQ(calls_, 1);
}

TEST_F(outstanding_work, ends_when_a_closed_socket_has_refused) {
  pull_.close();
  pull_.async_receive(handler());
  EXPECT_FALSE(has_work());
  EXPECT_EQ(calls_, 1);
}

TEST_F(outstanding_work, is_a_receive_of_a_monitor) {
  auto monitor = pull_.monitor();
  monitor.async_receive(handler());
  EXPECT_TRUE(has_work());
  stop_.emit(asio::cancellation_type::total);
  EXPECT_FALSE(has_work());
  EXPECT_EQ(calls_, 1);
}

}  // namespace
}  // namespace zmtp
