#include "zmtp/blocking/locked_executor.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace zmtp::blocking {
namespace {

class locked : public testing::Test {
protected:
  monitor lock_;
  asio::io_context context_{1};
  asio::any_io_executor executor_{locked_executor{context_.get_executor(), lock_}};
};

TEST_F(locked, is_an_executor_of_its_context) {
  EXPECT_EQ(&asio::query(executor_, asio::execution::context), &context_);
  asio::any_io_executor other{locked_executor{context_.get_executor(), lock_}};
  EXPECT_EQ(executor_, other);
  monitor another;
  EXPECT_NE(executor_, asio::any_io_executor(locked_executor{context_.get_executor(), another}));
  EXPECT_NE(executor_, asio::any_io_executor{context_.get_executor()});
}

TEST_F(locked, dispatched_handlers_run_at_once_and_posted_ones_later) {
  std::vector<int> order;
  asio::post(executor_, [&] {
    asio::post(executor_, [&] { order.push_back(3); });
    asio::dispatch(executor_, [&] { order.push_back(1); });
    order.push_back(2);
  });
  context_.run();
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

TEST_F(locked, nothing_runs_while_another_thread_has_the_lock) {
  constexpr int count = 10'000;
  // Not atomic: a thread sanitizer, or the sum, would show a race.
  int sum = 0;
  std::atomic<bool> others{true};
  for (int i = 0; i < count; ++i) {
    asio::post(executor_, [&] { ++sum; });
  }
  asio::steady_timer timer{executor_, std::chrono::seconds{0}};
  timer.async_wait([&](const boost::system::error_code&) { ++sum; });
  std::thread runner{[&] {
    context_.run();
    others = false;
  }};
  int own = 0;
  while (others || own < count) {
    const monitor::scope alone{lock_};
    const monitor::scope again{lock_};
    ++sum;
    ++own;
  }
  runner.join();
  EXPECT_EQ(sum, own + count + 1);
}

TEST_F(locked, a_waiting_thread_releases_the_lock) {
  bool done = false;
  std::condition_variable wake;
  asio::post(executor_, [&] {
    done = true;
    wake.notify_one();
  });
  std::thread runner;
  {
    const monitor::scope alone{lock_};
    runner = std::thread{[&] { context_.run(); }};
    lock_.wait(wake, [&] { return done; });
    EXPECT_TRUE(done);
    EXPECT_FALSE(lock_.wait_for(wake, std::chrono::milliseconds{1}, [] { return false; }));
  }
  runner.join();
}

}  // namespace
}  // namespace zmtp::blocking
