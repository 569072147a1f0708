// A PUSH waits for a PULL that does not read: nothing is discarded, nothing grows beyond the marks.

#include "test/support/pattern_test.h"
#include "test/support/raw_peer.h"
#include "test/support/wire.h"
#include "zmtp/socket/pipeline_sockets.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;
using asio::use_awaitable;

class push_pull_back_pressure : public pattern_test, public testing::WithParamInterface<meeting> {
protected:
  static constexpr std::size_t count = 1'000;

  asio::awaitable<void> send_all(push_socket& push) {
    for (std::size_t i = 0; i < count; ++i) {
      message m{large_text(i)};
      co_await push.async_send(std::move(m), use_awaitable);
      ++sent_;
    }
  }

  std::size_t sent_ = 0;
};

INSTANTIATE_TEST_SUITE_P(bound_by, push_pull_back_pressure, testing::ValuesIn(meetings()),
                         testing::PrintToStringParamName());

TEST_P(push_pull_back_pressure, reaches_the_sender_and_loses_nothing) {
  push_socket push{executor(), with_marks(4)};
  pull_socket pull{executor(), with_marks(4)};
  join(GetParam(), push, pull);
  asio::co_spawn(context(), send_all(push), asio::detached);
  wait_for_peer(push);
  run_to_a_standstill(sent_);
  EXPECT_GT(sent_, 0U);
  EXPECT_LT(sent_, count);
  EXPECT_EQ(push.try_send(message{"would overtake"}), send_status::full);
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(take(pull), message{large_text(i)});
  }
  EXPECT_EQ(sent_, count);
  EXPECT_EQ(push.counters().dropped_full, 0U);
}

TEST_P(push_pull_back_pressure, a_batch_waits_in_the_middle) {
  push_socket push{executor(), with_marks(4)};
  pull_socket pull{executor(), with_marks(4)};
  join(GetParam(), push, pull);
  message_batch batch;
  for (std::size_t i = 0; i < count; ++i) {
    batch.append(large_text(i));
  }
  std::optional<std::size_t> done;
  push.async_send(batch, [&](error_code ec, std::size_t n) {
    EXPECT_FALSE(ec);
    done = n;
  });
  std::size_t left = 0;
  run_to_a_standstill(left);
  EXPECT_FALSE(done);
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(take(pull), message{large_text(i)});
  }
  run_until([&] { return done.has_value(); });
  EXPECT_EQ(done, count);
}

class push_marks : public pattern_test {};

TEST_F(push_marks, limit_the_messages_queued_for_an_endpoint) {
  push_socket push{executor(), with_send_mark(7)};
  EXPECT_EQ(push.try_send(message{"nobody yet"}), send_status::full);
  push.connect("tcp://127.0.0.1:1");
  push.connect("tcp://127.0.0.1:2");
  std::size_t queued = 0;
  while (push.try_send(message{"m"}) == send_status::queued) {
    ++queued;
  }
  EXPECT_EQ(queued, 14U);
  message kept{"kept", "whole"};
  EXPECT_EQ(push.try_send(std::move(kept)), send_status::full);
  EXPECT_EQ(kept, (message{"kept", "whole"}));  // NOLINT: that is what is tested
  push.close(0ms);
}

TEST_F(push_marks, limit_the_bytes_queued_for_an_endpoint) {
  socket_options options;
  options.send_mark = {.messages = std::nullopt, .bytes = 10'000};
  push_socket push{executor(), options};
  push.connect("tcp://127.0.0.1:1");
  std::size_t bytes = 0;
  for (message m{std::string(999, 'x')}; push.try_send(std::move(m)) == send_status::queued;
       m = message{std::string(999, 'x')}) {
    bytes += 999;
  }
  EXPECT_GE(bytes, 9'000U);
  EXPECT_LE(bytes, 11'000U);
  push.close(0ms);
}

TEST_F(push_marks, make_a_wait_for_writability_wait) {
  push_socket push{executor(), with_send_mark(1)};
  raw_peer peer{context()};
  peer.connect(push.bind("tcp://127.0.0.1:*"));
  peer.shake_hands("PULL");
  wait_for_peer(push);
  while (push.try_send(message{std::string(1'000'000, 'x')}) == send_status::queued) {
    run_ready();
  }
  std::optional<error_code> writable;
  push.async_wait_writable([&](error_code ec) { writable = ec; });
  run_ready();
  EXPECT_FALSE(writable);
  peer.start_reading();
  run_until([&] { return writable.has_value(); });
  EXPECT_FALSE(*writable);
  EXPECT_EQ(push.try_send(message{"now"}), send_status::queued);
  push.close(0ms);
}

class pull_marks : public pattern_test, public testing::WithParamInterface<bool> {};

INSTANTIATE_TEST_SUITE_P(in, pull_marks, testing::Bool(), [](const auto& bytes) {
  return std::string{bytes.param ? "bytes" : "messages"};
});

TEST_P(pull_marks, stop_the_reading_and_lose_nothing) {
  socket_options options;
  options.receive_mark = GetParam() ? high_water_mark{.messages = std::nullopt, .bytes = 500'000}
                                    : high_water_mark{.messages = 10, .bytes = std::nullopt};
  pull_socket pull{executor(), options};
  raw_peer peer{context()};
  peer.connect(pull.bind("tcp://127.0.0.1:*"));
  peer.shake_hands("PUSH");
  constexpr std::size_t count = 600;
  for (std::size_t i = 0; i < count; ++i) {
    peer.send(framed({large_text(i)}));
    run_ready();
  }
  EXPECT_GT(peer.unsent(), 0U);
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(take(pull), message{large_text(i)});
  }
  EXPECT_EQ(peer.unsent(), 0U);
}

// reliability S7: the others have what the one does not take.
TEST_F(push_marks, a_peer_that_does_not_read_does_not_block_the_others) {
  push_socket push{executor(), with_send_mark(5)};
  const auto at = push.bind("tcp://127.0.0.1:*");
  raw_peer stopped{context()};
  stopped.connect(at);
  stopped.shake_hands("PULL");
  wait_for_peer(push);
  pull_socket pull{executor()};
  pull.connect(at.to_string());
  // Sends everything that the stopped peer takes, until it is full.
  std::size_t sent = 0;
  std::set<std::size_t> arrived;
  const auto send = [&]() -> asio::awaitable<void> {
    for (; sent < 2'000; ++sent) {
      message m{std::to_string(sent), std::string(30'000, 'x')};
      co_await push.async_send(std::move(m), use_awaitable);
    }
  };
  asio::co_spawn(context(), send, asio::detached);
  const auto take_all = [&]() -> asio::awaitable<void> {
    for (std::optional<std::size_t> last;;) {
      const message m = co_await pull.async_receive(use_awaitable);
      const auto n = std::stoul(std::string{m[0]});
      EXPECT_TRUE(!last || *last < n);
      last = n;
      arrived.insert(n);
    }
  };
  asio::co_spawn(context(), take_all, asio::detached);
  run_until([&] { return sent == 2'000; });
  EXPECT_GT(arrived.size(), 1'000U);
  // Messages that the stopped peer did not take before are still queued for it.
  stopped.start_reading();
  push.close();
  run_until([&] { return stopped.ended(); });
  const auto rest = content_of(stopped.traffic());
  EXPECT_EQ(rest.unread, 0U);
  for (const auto& m : rest.messages) {
    EXPECT_TRUE(arrived.insert(std::stoul(m.at(0))).second) << m.at(0) << " came twice";
  }
  run_until([&] { return arrived.size() == 2'000; });
  EXPECT_EQ(push.counters().dropped_full + push.counters().dropped_detached, 0U);
}

}  // namespace
}  // namespace zmtp::test
