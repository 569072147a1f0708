// Every operation takes any completion token, with or without a deadline.

#include "test/support/network_test.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/system/system_error.hpp>

#include <future>
#include <thread>
#include <variant>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;
using namespace asio::experimental::awaitable_operators;
using asio::use_awaitable;

class completion_token : public network_test {
protected:
  void SetUp() override { peer_ = join(dealer_, router_); }

  // Runs the coroutine to its end; an exception fails the test.
  template <class Coroutine>
  void run(Coroutine&& body) {
    bool over = false;
    std::exception_ptr failure;
    asio::co_spawn(context(), std::forward<Coroutine>(body), [&](std::exception_ptr e) {
      over = true;
      failure = e;
    });
    run_until([&] { return over; });
    if (failure) {
      std::rethrow_exception(failure);
    }
  }

  dealer_socket dealer_{executor()};
  router_socket router_{executor(), announcing()};
  peer_id peer_;
};

TEST_F(completion_token, callback) {
  int calls = 0;
  dealer_.async_send(message{"m"}, [&](error_code ec) { calls += ec ? 0 : 1; });
  router_.async_receive([&](error_code ec, const routed_message& m) {
    EXPECT_EQ(m.content, message{"m"});
    calls += ec ? 0 : 1;
  });
  run_until([&] { return calls == 2; });
}

TEST_F(completion_token, awaitable) {
  run([&]() -> asio::awaitable<void> {
    message m{"to"};
    co_await dealer_.async_send(std::move(m), use_awaitable);
    auto got = co_await router_.async_receive(use_awaitable);
    EXPECT_EQ(got.content, message{"to"});
    co_await router_.async_wait_writable(got.peer, use_awaitable);
    co_await router_.async_send(got.peer, std::move(got.content), use_awaitable);
    const auto back = co_await dealer_.async_receive(use_awaitable);
    EXPECT_EQ(back, message{"to"});
  });
}

TEST_F(completion_token, awaitable_throws_the_error) {
  run([&]() -> asio::awaitable<void> {
    error_code reason;
    try {
      co_await dealer_.async_receive(deadline{1ms}, use_awaitable);
    } catch (const boost::system::system_error& e) {
      reason = e.code();
    }
    EXPECT_EQ(reason, errc::timed_out);
  });
}

TEST_F(completion_token, batches) {
  // Outside the coroutine, because GCC 12 does not accept such a list there.
  auto to_send = batch_of({message{"1"}, message{"2"}, message{"3"}});
  run([&]() -> asio::awaitable<void> {
    EXPECT_EQ(co_await dealer_.async_send(to_send, use_awaitable), 3U);
    EXPECT_TRUE(to_send.empty());
    message_batch got;
    for (std::size_t count = 0; count < 3;) {
      count += co_await router_.async_receive(got, use_awaitable);
      for (const auto each : got) {
        co_await router_.async_send(each.peer(), each.to_message(), use_awaitable);
      }
    }
    message_batch back;
    for (std::size_t count = 0; count < 3;) {
      const auto more_of_them = co_await dealer_.async_receive(back, use_awaitable);
      EXPECT_EQ(more_of_them, back.size());
      count += more_of_them;
    }
    EXPECT_EQ(messages_of(back).back(), message{"3"});
  });
}

TEST_F(completion_token, as_tuple) {
  run([&]() -> asio::awaitable<void> {
    const auto token = asio::as_tuple(use_awaitable);
    const auto [nothing, none] = co_await dealer_.async_receive(deadline{1ms}, token);
    EXPECT_EQ(nothing, errc::timed_out);
    EXPECT_TRUE(none.empty());
    message m{"m"};
    const auto [sent] = co_await dealer_.async_send(std::move(m), token);
    EXPECT_FALSE(sent);
    message_batch batch;
    const auto [received, count] = co_await router_.async_receive(batch, token);
    EXPECT_FALSE(received);
    EXPECT_EQ(count, 1U);
  });
}

TEST_F(completion_token, deferred_is_the_default_and_starts_nothing) {
  auto sending = dealer_.async_send(message{"m"});
  auto receiving = router_.async_receive(deadline{5s}, asio::deferred);
  run_ready();
  EXPECT_EQ(dealer_.counters().messages_sent, 0U);
  bool got = false;
  std::move(sending)([](error_code ec) { EXPECT_FALSE(ec); });
  std::move(receiving)([&](error_code, const routed_message& m) {
    EXPECT_EQ(m.content, message{"m"});
    got = true;
  });
  run_until([&] { return got; });
}

TEST_F(completion_token, deferred_is_awaitable) {
  run([&]() -> asio::awaitable<void> {
    message m{"m"};
    auto sending = dealer_.async_send(std::move(m));
    co_await std::move(sending)(use_awaitable);
    auto receiving = router_.async_receive();
    const auto got = co_await std::move(receiving)(use_awaitable);
    EXPECT_EQ(got.content, message{"m"});
  });
}

TEST_F(completion_token, detached) {
  dealer_.async_send(message{"m"}, asio::detached);
  EXPECT_EQ(receive(router_).content, message{"m"});
  router_.async_send(peer_, message{"n"}, asio::detached);
  EXPECT_EQ(receive(dealer_), message{"n"});
  dealer_.async_receive(asio::detached);
}

TEST_F(completion_token, future) {
  auto work = asio::make_work_guard(context());
  std::thread runner{[this] { context().run(); }};
  // A socket is used in its executor alone.
  const auto in_context = [&](auto&& start) {
    return asio::post(context(), asio::use_future(std::forward<decltype(start)>(start))).get();
  };
  auto sent = in_context([&] { return dealer_.async_send(message{"m"}, asio::use_future); });
  sent.get();
  auto received = in_context([&] { return router_.async_receive(asio::use_future); });
  EXPECT_EQ(received.get().content, message{"m"});
  auto late = in_context([&] { return dealer_.async_receive(deadline{1ms}, asio::use_future); });
  EXPECT_THROW(late.get(), boost::system::system_error);
  auto batch = batch_of({message{"1"}, message{"2"}});
  auto queued = in_context([&] { return dealer_.async_send(batch, asio::use_future); });
  EXPECT_EQ(queued.get(), 2U);
  work.reset();
  in_context([&] {
    dealer_.close(0ms);
    router_.close(0ms);
  });
  runner.join();
}

TEST_F(completion_token, the_first_of_two_operations_cancels_the_other) {
  run([&]() -> asio::awaitable<void> {
    message m{"for the router"};
    co_await dealer_.async_send(std::move(m), use_awaitable);
    auto first =
        co_await (dealer_.async_receive(use_awaitable) || router_.async_receive(use_awaitable));
    EXPECT_EQ(first.index(), 1U);
    EXPECT_EQ(std::get<1>(first).content, message{"for the router"});
    // The receive that lost took none.
    message n{"for the dealer"};
    co_await router_.async_send(peer_, std::move(n), use_awaitable);
    const auto second = co_await dealer_.async_receive(use_awaitable);
    EXPECT_EQ(second, message{"for the dealer"});
  });
}

TEST_F(completion_token, both_of_two_operations) {
  run([&]() -> asio::awaitable<void> {
    message m{"there"};
    message n{"back"};
    co_await (dealer_.async_send(std::move(m), use_awaitable) &&
              router_.async_send(peer_, std::move(n), use_awaitable));
    const auto [routed, plain] =
        co_await (router_.async_receive(use_awaitable) && dealer_.async_receive(use_awaitable));
    EXPECT_EQ(routed.content, message{"there"});
    EXPECT_EQ(plain, message{"back"});
  });
}

}  // namespace
}  // namespace zmtp::test
