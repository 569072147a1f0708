// Design 3.4: a server writes to each peer once a turn, and needs at most two reads for pending
// input.

#include "test/support/counting_test.h"
#include "test/support/wire.h"
#include "zmtp/socket/pipeline_sockets.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <memory>
#include <string>
#include <vector>

namespace zmtp::test {
namespace {

using asio::use_awaitable;

class servers : public counting_test {
protected:
  static constexpr std::size_t clients = 40;
  static constexpr std::size_t each = 50;

  // All ask at once and again as soon as they have their answer.
  template <class Client>
  tally run_clients(const std::string& at) {
    std::vector<std::unique_ptr<Client>> all;
    std::size_t done = 0;
    const auto ask = [&](Client& client) -> asio::awaitable<void> {
      for (std::size_t i = 0; i < each; ++i) {
        message m{"", std::to_string(i)};
        co_await client.async_send(std::move(m), use_awaitable);
        const message answer = co_await client.async_receive(use_awaitable);
        EXPECT_EQ(answer, (message{"", std::to_string(i)}));
        ++done;
      }
    };
    for (std::size_t i = 0; i < clients; ++i) {
      all.push_back(std::make_unique<Client>(executor()));
      all.back()->connect(at);
      asio::co_spawn(context(), ask(*all.back()), asio::detached);
    }
    return run_counting([&] { return done == clients * each; });
  }
  static void expect_one_write_and_two_reads(const tally& all) {
    EXPECT_LE(all.most_writes, 1U);
    EXPECT_LE(all.most_reads, 2U);
    // A request and an answer are one write each, apart from shared writes and the handshakes.
    EXPECT_LE(all.writes, 2 * clients * each + 6 * clients);
  }
};

TEST_F(servers, a_rep_writes_once_for_each_peer_and_turn) {
  rep_socket rep{executor()};
  const auto serve = [&]() -> asio::awaitable<void> {
    for (;;) {
      message m = co_await rep.async_receive(use_awaitable);
      co_await rep.async_send(std::move(m), use_awaitable);
    }
  };
  asio::co_spawn(context(), serve, asio::detached);
  expect_one_write_and_two_reads(
      run_clients<req_socket>(rep.bind("tcp://127.0.0.1:*").to_string()));
}

TEST_F(servers, a_rep_with_dealers_writes_once_for_each_peer_and_turn) {
  rep_socket rep{executor()};
  const auto serve = [&]() -> asio::awaitable<void> {
    for (;;) {
      message m = co_await rep.async_receive(use_awaitable);
      co_await rep.async_send(std::move(m), use_awaitable);
    }
  };
  asio::co_spawn(context(), serve, asio::detached);
  expect_one_write_and_two_reads(
      run_clients<dealer_socket>(rep.bind("tcp://127.0.0.1:*").to_string()));
}

TEST_F(servers, a_router_writes_once_for_each_peer_and_turn) {
  router_socket router{executor()};
  const auto serve = [&]() -> asio::awaitable<void> {
    message_batch batch;
    for (;;) {
      co_await router.async_receive(batch, use_awaitable);
      for (const auto m : batch) {
        EXPECT_EQ(router.try_send(m.peer(), m.to_message()), send_status::queued);
      }
    }
  };
  asio::co_spawn(context(), serve, asio::detached);
  expect_one_write_and_two_reads(
      run_clients<dealer_socket>(router.bind("tcp://127.0.0.1:*").to_string()));
}

// The requests of one read are answered in one write.
TEST_F(servers, answers_to_many_requests_of_one_peer_share_a_write) {
  router_socket router{executor()};
  const auto serve = [&]() -> asio::awaitable<void> {
    message_batch batch;
    for (;;) {
      co_await router.async_receive(batch, use_awaitable);
      for (const auto m : batch) {
        EXPECT_EQ(router.try_send(m.peer(), m.to_message()), send_status::queued);
      }
    }
  };
  asio::co_spawn(context(), serve, asio::detached);
  raw_peer peer{context()};
  peer.connect(router.bind("tcp://127.0.0.1:*"));
  except(peer);
  peer.shake_hands("DEALER");
  peer.start_reading();
  run_until([&] { return peer.received().size() > 64; });
  std::string all;
  for (int i = 0; i < 500; ++i) {
    all += framed({std::to_string(i)});
  }
  peer.send(all);
  const auto calls = run_counting([&] { return peer.traffic().size() == all.size(); });
  EXPECT_TRUE(peer.traffic() == all);
  EXPECT_LE(calls.writes, calls.reads);
  EXPECT_EQ(calls.most_writes, 1U);
}

class floods : public counting_test {};

TEST_F(floods, are_read_in_at_most_two_reads_for_each_readable_event) {
  // So that no mark ends the reading before.
  pull_socket pull{executor(), with_marks(100'000)};
  raw_peer peer{context()};
  peer.connect(pull.bind("tcp://127.0.0.1:*"));
  except(peer);
  peer.shake_hands("PUSH");
  constexpr std::size_t count = 200'000;
  std::string flood;
  for (std::size_t i = 0; i < count; ++i) {
    flood += framed({std::string(100, 'x')});
  }
  peer.send(flood);
  std::size_t received = 0;
  const auto receive_all = [&]() -> asio::awaitable<void> {
    message_batch batch;
    while (received < count) {
      received += co_await pull.async_receive(batch, use_awaitable);
    }
  };
  asio::co_spawn(context(), receive_all, asio::detached);
  const auto all = run_counting([&] { return received == count; });
  EXPECT_LE(all.most_reads, 2U);
  // Reading by less than a message each time would pass for that too.
  EXPECT_LE(all.reads, flood.size() / 4'096);
}

TEST_F(floods, are_not_read_further_if_the_user_does_not_receive) {
  auto options = with_marks(10);
  pull_socket pull{executor(), options};
  raw_peer peer{context()};
  peer.connect(pull.bind("tcp://127.0.0.1:*"));
  except(peer);
  peer.shake_hands("PUSH");
  for (int i = 0; i < 1'000; ++i) {
    peer.send(framed({std::string(20'000, 'x')}));
  }
  static_cast<void>(run_ready_counting());
  EXPECT_GT(peer.unsent(), 0U);
  // The queue is full now: no event of the peer causes another read.
  EXPECT_EQ(run_ready_counting().reads, 0U);
}

TEST_F(floods, are_read_in_turn_if_there_are_several_peers) {
  pull_socket pull{executor(), with_marks(100'000)};
  const auto at = pull.bind("tcp://127.0.0.1:*");
  std::vector<std::unique_ptr<raw_peer>> peers;
  constexpr std::size_t each = 20'000;
  for (int i = 0; i < 5; ++i) {
    peers.push_back(std::make_unique<raw_peer>(context()));
    peers.back()->connect(at);
    except(*peers.back());
    peers.back()->shake_hands("PUSH");
    std::string flood;
    for (std::size_t n = 0; n < each; ++n) {
      flood += framed({std::string(100, 'x')});
    }
    peers.back()->send(flood);
  }
  std::size_t received = 0;
  const auto receive_all = [&]() -> asio::awaitable<void> {
    message_batch batch;
    for (;;) {
      received += co_await pull.async_receive(batch, use_awaitable);
    }
  };
  asio::co_spawn(context(), receive_all, asio::detached);
  const auto all = run_counting([&] { return received == 5 * each; });
  EXPECT_LE(all.most_reads, 2U);
}

}  // namespace
}  // namespace zmtp::test
