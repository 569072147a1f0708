// A proxy during a stream: a stall, a pause or an end loses nothing.

#include "test/zmtp/socket/proxy_fixture.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/socket/pipeline_sockets.h"
#include "zmtp/socket/proxy.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <future>
#include <memory>
#include <optional>
#include <string>

namespace zmtp::test {
namespace {

using asio::use_awaitable;

// A stream from producer to PULL, from there through the proxy to PUSH and to a consumer.
class pipeline_proxy : public proxy_test {
protected:
  static constexpr std::size_t mark = 10;

  void SetUp() override { join(pull_, producer_); }
  void produce(std::size_t count) {
    wait_for_peer(producer_);
    for (std::size_t i = 0; i < count; ++i) {
      put(producer_, numbered(i));
    }
  }
  // Expects all messages in order, also those that the queues could not hold at first.
  void expect_stream(std::size_t begin, std::size_t end) {
    for (auto i = begin; i < end; ++i) {
      EXPECT_EQ(take(consumer_), numbered(i));
    }
  }

  push_socket producer_{executor(), with_marks(1'000'000)};
  pull_socket pull_{executor(), with_marks(mark)};
  push_socket push_{executor(), with_marks(mark)};
  pull_socket consumer_{executor(), with_marks(mark)};
  proxy proxy_{pull_, push_};
};

TEST_F(pipeline_proxy, takes_nothing_without_a_peer_that_would_receive_it) {
  run(proxy_);
  produce(100);
  run_to_a_standstill(pull_.counters().messages_received);
  EXPECT_EQ(proxy_.statistics().frontend.messages_received, 0U);
  join(consumer_, push_);
  expect_stream(0, 100);
}

TEST_F(pipeline_proxy, takes_no_more_than_the_other_side_takes) {
  join(consumer_, push_);
  run(proxy_);
  std::string large(100'000, 'x');
  constexpr std::size_t count = 500;
  wait_for_peer(producer_);
  for (std::size_t i = 0; i < count; ++i) {
    put(producer_, {std::to_string(i), large});
  }
  // Fifty megabytes do not fit into the kernel.
  run_to_a_standstill(proxy_.statistics().frontend.messages_received);
  const auto& done = proxy_.statistics();
  EXPECT_LT(done.frontend.messages_received, count);
  EXPECT_EQ(pull_.counters().messages_received, done.frontend.messages_received);
  EXPECT_EQ(push_.counters().messages_sent, done.backend.messages_sent);
  // The proxy holds at most one batch, which ends with the message that reaches 256 KiB.
  EXPECT_LE(done.frontend.messages_received - done.backend.messages_sent, 3U);
  for (std::size_t i = 0; i < count; ++i) {
    const auto m = take(consumer_);
    ASSERT_EQ(m[0], std::to_string(i));
    EXPECT_EQ(m[1].size(), large.size());
  }
  EXPECT_EQ(done.dropped, 0U);
}

TEST_F(pipeline_proxy, passes_messages_of_every_size_in_order) {
  join(consumer_, push_);
  run(proxy_);
  std::vector<message> sent;
  for (std::size_t i = 0; i < 300; ++i) {
    auto& m = sent.emplace_back(message{std::to_string(i)});
    m.push_back(std::string((i * i * 37) % 70'000, 'x'));
    m.push_back(std::string(i % 100, 'y'));
  }
  wait_for_peer(producer_);
  for (const auto& m : sent) {
    put(producer_, m);
  }
  for (const auto& m : sent) {
    EXPECT_EQ(take(consumer_), m);
  }
}

TEST_F(pipeline_proxy, is_idle_while_it_is_paused) {
  join(consumer_, push_);
  run(proxy_);
  produce(5);
  expect_stream(0, 5);
  proxy_.pause();
  for (std::size_t i = 5; i < 10; ++i) {
    put(producer_, numbered(i));
  }
  run_to_a_standstill(pull_.counters().messages_received);
  EXPECT_EQ(proxy_.statistics().frontend.messages_received, 5U);
  proxy_.resume();
  expect_stream(5, 10);
}

TEST_F(pipeline_proxy, ends_and_begins_again_without_a_loss) {
  join(consumer_, push_);
  produce(1'000);
  std::size_t next = 0;
  for (int i = 0; i < 50; ++i) {
    run(proxy_);
    expect_stream(next, next + 3);
    next += 3;
    proxy_.terminate();
    expect_end({});
  }
  run(proxy_);
  expect_stream(next, 1'000);
}

TEST_F(pipeline_proxy, pausing_and_resuming_at_every_point_loses_nothing) {
  join(consumer_, push_);
  run(proxy_);
  produce(500);
  for (std::size_t i = 0; i < 500; ++i) {
    proxy_.pause();
    if (i % 3 == 0) {
      run_ready();
    }
    proxy_.resume();
    expect_stream(i, i + 1);
  }
}

TEST_F(pipeline_proxy, a_stalled_capture_stops_it_without_a_loss) {
  push_socket capture{executor(), with_marks(mark)};
  pull_socket watcher{executor(), with_marks(mark)};
  join(consumer_, push_);
  proxy_.capture_to(capture);
  run(proxy_);
  produce(50);
  // The first batch goes on, and its copies wait.
  expect_stream(0, 1);
  run_to_a_standstill(pull_.counters().messages_received);
  const auto first = proxy_.statistics().frontend.messages_received;
  EXPECT_LE(first, mark);
  EXPECT_EQ(proxy_.statistics().backend.messages_sent, first);
  join(watcher, capture);
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(take(watcher), numbered(i));
    if (i != 0) {
      EXPECT_EQ(take(consumer_), numbered(i));
    }
  }
}

TEST_F(pipeline_proxy, a_capture_misses_messages_that_its_pattern_drops) {
  pub_socket capture{executor()};
  join(consumer_, push_);
  proxy_.capture_to(capture);
  run(proxy_);
  produce(50);
  expect_stream(0, 50);
}

TEST_F(pipeline_proxy, ends_when_a_socket_is_closed) {
  for (auto* closed : {static_cast<socket*>(&pull_), static_cast<socket*>(&push_)}) {
    pull_socket from{executor()};
    push_socket to{executor()};
    proxy p{from, to};
    run(p);
    run_ready();
    closed == &pull_ ? from.close() : to.close();
    if (closed == &push_) {
      // Waits for the producer only if it has a message.
      join(from, producer_);
    }
    put(producer_, {"m"});
    put(producer_, {"m"});
    expect_end(errc::socket_closed);
  }
}

TEST_F(pipeline_proxy, a_second_run_at_a_time_is_rejected) {
  run(proxy_);
  std::optional<error_code> second;
  proxy_.async_run([&](error_code ec) { second = ec; });
  EXPECT_FALSE(second);
  run_until([&] { return second.has_value(); });
  EXPECT_EQ(second, asio::error::already_started);
  EXPECT_FALSE(end_);
  proxy_.terminate();
  expect_end({});
}

TEST_F(pipeline_proxy, terminating_without_a_run_does_nothing) {
  proxy_.terminate();
  join(consumer_, push_);
  run(proxy_);
  produce(3);
  expect_stream(0, 3);
}

TEST_F(pipeline_proxy, is_cancelled_by_every_type_of_cancellation) {
  for (const auto type : {asio::cancellation_type::terminal, asio::cancellation_type::partial,
                          asio::cancellation_type::total}) {
    asio::cancellation_signal stop;
    proxy_.async_run(asio::bind_cancellation_slot(stop.slot(), [&](error_code ec) { end_ = ec; }));
    run_ready();
    stop.emit(type);
    EXPECT_FALSE(end_);
    expect_end(asio::error::operation_aborted);
    stop.emit(type);  // no longer has an effect
  }
}

TEST_F(pipeline_proxy, can_be_cancelled_while_paused) {
  asio::cancellation_signal stop;
  proxy_.pause();
  proxy_.async_run(asio::bind_cancellation_slot(stop.slot(), [&](error_code ec) { end_ = ec; }));
  run_ready();
  stop.emit(asio::cancellation_type::terminal);
  expect_end(asio::error::operation_aborted);
}

TEST_F(pipeline_proxy, destroying_it_ends_its_run) {
  {
    proxy p{pull_, push_};
    run(p);
    run_ready();
  }
  EXPECT_FALSE(end_);
  expect_end(asio::error::operation_aborted);
}

TEST_F(pipeline_proxy, can_be_moved_while_it_runs) {
  auto p = std::make_unique<proxy>(pull_, push_);
  run(*p);
  proxy moved{std::move(*p)};
  p.reset();
  join(consumer_, push_);
  produce(3);
  expect_stream(0, 3);
  proxy other{consumer_, producer_};
  other = std::move(moved);
  produce(3);
  expect_stream(0, 3);
  EXPECT_FALSE(end_);
}

TEST_F(pipeline_proxy, takes_any_completion_token) {
  auto end = proxy_.async_run(asio::use_future);
  proxy_.terminate();
  run_until([&] { return end.wait_for(std::chrono::seconds{0}) == std::future_status::ready; });
  EXPECT_NO_THROW(end.get());
  bool over = false;
  asio::co_spawn(
      context(), [&]() -> asio::awaitable<void> { co_await proxy_.async_run(use_awaitable); },
      [&](const std::exception_ptr& thrown) { over = thrown == nullptr; });
  run_ready();
  proxy_.terminate();
  run_until([&] { return over; });
}

TEST(proxy_context, may_be_destroyed_while_its_own_coroutine_owns_a_proxy) {
  struct owner {
    explicit owner(const asio::any_io_executor& on) : pull{on}, push{on} {}
    pull_socket pull;
    push_socket push;
    std::shared_ptr<int> alive = std::make_shared<int>();
  };
  std::weak_ptr<int> alive;
  {
    asio::io_context context{1};
    const auto serve = [&]() -> asio::awaitable<void> {
      owner own{context.get_executor()};
      alive = own.alive;
      proxy p{own.pull, own.push};
      co_await p.async_run(use_awaitable);
    };
    asio::co_spawn(context, serve, rethrow);
    context.poll();
    EXPECT_FALSE(alive.expired());
  }
  EXPECT_TRUE(alive.expired());
}

}  // namespace
}  // namespace zmtp::test
