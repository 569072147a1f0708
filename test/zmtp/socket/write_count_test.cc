// Design 3.4: the messages of a turn are written when it ends, in one write for each peer.

#include "test/support/counting_test.h"
#include "zmtp/socket/pipeline_sockets.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace zmtp::test {
namespace {

using asio::use_awaitable;

class writes : public counting_test {
protected:
  std::vector<std::unique_ptr<pull_socket>> pulls_connected_to(push_socket& push,
                                                               std::size_t count) {
    std::vector<std::unique_ptr<pull_socket>> pulls;
    for (std::size_t i = 0; i < count; ++i) {
      pulls.push_back(std::make_unique<pull_socket>(executor()));
      join(*pulls.back(), push);
    }
    // Each has had one, so that all handshakes are over.
    for (std::size_t i = 0; i < count; ++i) {
      put(push, message{"hello"});
    }
    for (auto& pull : pulls) {
      EXPECT_EQ(take(*pull), message{"hello"});
    }
    static_cast<void>(run_ready_counting());
    return pulls;
  }
};

TEST_F(writes, are_counted) {
  raw_listener listener{context()};
  raw_peer a{context()};
  raw_peer b{context()};
  listener.start_accepting(a);
  b.connect(endpoint::parse(listener.endpoint()).value());
  run_until([&] { return listener.accepted(); });
  reset_counted_calls();
  a.start_reading();
  b.send("hello");
  run_until([&] { return a.received() == "hello"; });
  tally all;
  add_up(all);
  EXPECT_GE(all.writes, 1U);
  EXPECT_GE(all.reads, 1U);
}

class bursts : public writes, public testing::WithParamInterface<std::size_t> {
protected:
  static constexpr std::size_t each = 50;

  void send_burst(push_socket& push, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(push.try_send(message{std::to_string(i)}), send_status::queued);
    }
  }
};

INSTANTIATE_TEST_SUITE_P(to_peers, bursts, testing::Values(1, 10));

TEST_P(bursts, in_a_handler_of_the_socket_cause_one_write_for_each_peer) {
  push_socket push{executor()};
  const auto pulls = pulls_connected_to(push, GetParam());
  bool sent = false;
  push.async_wait_writable([&](error_code) {
    send_burst(push, each * GetParam());
    sent = true;
  });
  const auto all = run_ready_counting();
  EXPECT_TRUE(sent);
  EXPECT_EQ(all.writes, GetParam());
  EXPECT_EQ(all.most_writes, 1U);
  EXPECT_LE(all.most_reads, 2U);
  for (const auto& pull : pulls) {
    message m;
    for (std::size_t i = 0; i < each; ++i) {
      EXPECT_TRUE(pull->try_receive(m));
    }
  }
}

TEST_P(bursts, in_a_handler_of_other_code_cause_one_write_for_each_peer) {
  push_socket push{executor()};
  const auto pulls = pulls_connected_to(push, GetParam());
  asio::post(context(), [&] { send_burst(push, each * GetParam()); });
  const auto all = run_ready_counting();
  EXPECT_EQ(all.writes, GetParam());
  EXPECT_EQ(all.most_writes, 1U);
}

TEST_P(bursts, outside_any_handler_cause_one_write_for_each_peer) {
  push_socket push{executor()};
  const auto pulls = pulls_connected_to(push, GetParam());
  reset_counted_calls();
  send_burst(push, each * GetParam());
  tally at_once;
  add_up(at_once);
  EXPECT_EQ(at_once.writes, 0U) << "written within the calls";
  EXPECT_EQ(run_ready_counting().writes, GetParam());
}

TEST_P(bursts, awaited_one_by_one_are_written_once_a_turn) {
  push_socket push{executor()};
  const auto pulls = pulls_connected_to(push, GetParam());
  bool sent = false;
  const auto send = [&]() -> asio::awaitable<void> {
    for (std::size_t i = 0; i < each * GetParam(); ++i) {
      message m{std::to_string(i)};
      co_await push.async_send(std::move(m), use_awaitable);
    }
    sent = true;
  };
  asio::co_spawn(context(), send, asio::detached);
  const auto all = run_ready_counting();
  EXPECT_TRUE(sent);
  EXPECT_EQ(all.most_writes, 1U);
  EXPECT_LE(all.writes, all.handlers * GetParam());
}

class large_batches : public writes, public testing::WithParamInterface<std::size_t> {};

INSTANTIATE_TEST_SUITE_P(with_mark, large_batches, testing::Values(1, 10, 1'000));

// Each turn writes what the marks allow, and waits for none but the next.
TEST_P(large_batches, in_a_turn_are_written_once_a_turn) {
  constexpr std::size_t count = 5'000;
  push_socket push{executor(), with_send_mark(GetParam())};
  const auto pulls = pulls_connected_to(push, 1);
  auto batch = batch_of(std::vector<message>(count, message{"one of many"}));
  std::optional<std::size_t> sent;
  push.async_wait_writable(
      [&](error_code) { push.async_send(batch, [&](error_code, std::size_t n) { sent = n; }); });
  std::size_t received = 0;
  const auto all = run_counting([&] {
    for (message m; pulls[0]->try_receive(m);) {
      ++received;
    }
    return received == count;
  });
  EXPECT_EQ(sent, count);
  EXPECT_EQ(all.most_writes, 1U);
  EXPECT_LE(all.writes, all.handlers);
  EXPECT_LE(all.most_reads, 2U);
}

// Outside a turn nothing else would make room: a full queue is written before the next message.
TEST_P(large_batches, outside_a_turn_are_written_once_for_each_full_queue) {
  constexpr std::size_t count = 5'000;
  push_socket push{executor(), with_send_mark(GetParam())};
  const auto pulls = pulls_connected_to(push, 1);
  auto batch = batch_of(std::vector<message>(count, message{"one of many"}));
  reset_counted_calls();
  push.async_send(batch, [](error_code, std::size_t) {});
  tally at_once;
  add_up(at_once);
  EXPECT_LE(at_once.writes, count / GetParam() + 1);
  std::size_t received = 0;
  const auto all = run_counting([&] {
    for (message m; pulls[0]->try_receive(m);) {
      ++received;
    }
    return received == count;
  });
  EXPECT_LE(all.most_writes, 1U);
}

// Otherwise, incoming messages would wait for all outgoing messages.
TEST_F(writes, to_many_peers_let_other_handlers_run) {
  constexpr std::size_t peers = 200;
  push_socket push{executor()};
  const auto pulls = pulls_connected_to(push, peers);
  for (std::size_t i = 0; i < peers; ++i) {
    EXPECT_EQ(push.try_send(message{"one each"}), send_status::queued);
  }
  const auto all = run_ready_counting();
  EXPECT_EQ(all.writes, peers);
  EXPECT_LT(all.busiest, peers / 2);
}

TEST_F(writes, to_many_peers_are_few_while_there_is_more_to_send) {
  constexpr std::size_t peers = 100;
  constexpr std::size_t batches = 160;
  push_socket push{executor()};
  const auto pulls = pulls_connected_to(push, peers);
  const auto send = [&]() -> asio::awaitable<void> {
    message_batch batch;
    for (std::size_t i = 0; i < batches; ++i) {
      batch = batch_of(std::vector<message>(peers, message{"one each"}));
      co_await push.async_send(batch, use_awaitable);
    }
  };
  asio::co_spawn(context(), send, asio::detached);
  const auto all = run_ready_counting();
  EXPECT_EQ(push.counters().messages_sent, (batches + 1) * peers);
  EXPECT_LT(all.writes, 4 * peers);
  for (const auto& pull : pulls) {
    EXPECT_EQ(pull->counters().bytes_received, push.counters().bytes_sent / peers);
  }
}

}  // namespace
}  // namespace zmtp::test
