#include "tools/zinc/status/name_lookup.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <exception>
#include <future>
#include <memory>
#include <optional>

namespace zinc::status {
namespace {

namespace asio = boost::asio;
using clock = std::chrono::steady_clock;

// A resolver that does not answer while the test runs.
struct dead_resolver {
  std::promise<void> end;
  std::shared_future<void> ended = end.get_future().share();

  ~dead_resolver() { end.set_value(); }
  name_lookup::function function() {
    return [ended = ended](const std::string&, const std::string&) {
      ended.wait();
      return addresses{};
    };
  }
};

void start(asio::io_context& context, name_lookup& by, clock::time_point deadline,
           std::optional<addresses>& to) {
  asio::co_spawn(
      context,
      [&by, deadline, &to]() -> asio::awaitable<void> {
        to = co_await by.find("127.0.0.1", "80", deadline);
      },
      [](const std::exception_ptr& e) { EXPECT_EQ(e, nullptr); });
}

TEST(name_lookup, finds_addresses) {
  asio::io_context context;
  name_lookup by{context.get_executor()};
  std::optional<addresses> got;
  start(context, by, clock::time_point::max(), got);
  context.run();
  ASSERT_TRUE(got);
  EXPECT_FALSE(got->ec);
  ASSERT_EQ(got->found.size(), 1U);
  EXPECT_EQ(got->found.begin()->endpoint().port(), 80);
}

TEST(name_lookup, ends_at_the_deadline_though_the_resolver_does_not_answer) {
  dead_resolver dead;
  asio::io_context context;
  name_lookup by{context.get_executor(), dead.function()};
  std::optional<addresses> got;
  start(context, by, clock::now(), got);
  context.run();
  ASSERT_TRUE(got);
  EXPECT_EQ(got->ec, asio::error::timed_out);
}

TEST(name_lookup, ends_when_it_is_stopped_though_the_resolver_does_not_answer) {
  dead_resolver dead;
  asio::io_context context;
  name_lookup by{context.get_executor(), dead.function()};
  std::optional<addresses> got;
  start(context, by, clock::time_point::max(), got);
  asio::post(context, [&] { by.stop(); });
  context.run();
  ASSERT_TRUE(got);
  EXPECT_EQ(got->ec, asio::error::operation_aborted);
}

}  // namespace
}  // namespace zinc::status
