// The budget of the queues of all sockets: the memory that counts, and the sockets that continue
// when memory is free again, in any thread.

#include "test/support/other_thread.h"
#include "test/support/raw_peer.h"
#include "test/support/wire.h"
#include "test/zmtp/socket/queue_budget_fixture.h"
#include "zmtp/engine/memory_limit.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view nobody = "tcp://127.0.0.1:1";
constexpr std::string_view nobody_else = "tcp://127.0.0.1:2";

TEST(queue_budget_of_the_process, is_a_share_of_the_available_memory) {
  const auto all = process_memory_budget();
  EXPECT_EQ(all.queued, 3 * all.partial_messages);
  EXPECT_LE(all.queued + all.partial_messages, process_memory() / 4);
}

TEST_F(a_queue_budget, bounds_a_socket_that_has_no_marks) {
  push_socket push{executor(), unmarked()};
  push.connect(nobody);
  send_until_full(push, 100 * kibi);
  EXPECT_GE(used(), budget / 2);
  EXPECT_LE(used(), budget / 2 + 300 * kibi);
}

// No other event would wake this socket: its endpoint has no peer.
TEST_F(a_queue_budget, wakes_waiting_sockets_when_memory_is_free_again) {
  push_socket large{executor(), unmarked()};
  push_socket small{executor(), unmarked()};
  large.connect(nobody);
  small.connect(nobody_else);
  send_until_full(large, mebi);
  send_until_full(small, 64 * kibi);
  std::optional<error_code> end;
  small.async_send(numbered(0, 64 * kibi), [&](error_code ec) { end = ec; });
  bool writable = false;
  small.async_wait_writable([&](error_code ec) { writable = !ec; });
  run_ready();
  EXPECT_FALSE(end);
  large.close();
  run_until([&] { return end && writable; });
  EXPECT_EQ(end, error_code{});
  EXPECT_EQ(small.try_send(numbered(1, mebi)), send_status::queued);
}

TEST_F(a_queue_budget, wakes_waiting_sockets_in_another_thread) {
  other_thread other;
  auto large = std::make_unique<push_socket>(executor(), unmarked());
  large->connect(nobody);
  send_until_full(*large, mebi);
  std::promise<error_code> sent;
  std::promise<void> full;
  auto small = std::make_unique<push_socket>(other.context().get_executor(), unmarked());
  asio::post(other.context(), [&] {
    small->connect(nobody_else);
    send_until_full(*small, 64 * kibi);
    small->async_send(numbered(0, 64 * kibi), [&](error_code ec) {
      small.reset();  // in its own thread
      sent.set_value(ec);
    });
    full.set_value();
  });
  other.start();
  full.get_future().wait();
  auto end = sent.get_future();
  EXPECT_EQ(end.wait_for(0s), std::future_status::timeout);
  large.reset();
  run_ready();
  ASSERT_EQ(end.wait_for(timeout), std::future_status::ready);
  EXPECT_EQ(end.get(), error_code{});
}

// No other event would wake this socket: its mark is not reached, its user does not receive, and
// the kernel reports nothing.
TEST_F(a_queue_budget, resumes_reading_when_memory_is_free_again) {
  push_socket large{executor(), unmarked()};
  large.connect(nobody);
  pull_socket pull{executor(), unmarked()};
  raw_peer peer{context()};
  peer.connect(pull.bind("tcp://127.0.0.1:*"));
  peer.shake_hands("PUSH");
  run_until([&] { return pull.peers().size() == 1; });
  send_until_full(large, mebi);
  allow(budget / 2);
  std::string stream;
  for (int i = 0; i < 3'000; ++i) {
    stream += frame(0, std::string(kibi, 'x'));
  }
  peer.send(stream);
  const auto waiting = [&] { return pull.peers().at(0).messages_to_receive; };
  run_until([&] { return waiting() != 0; });
  for (int i = 0; i < 100; ++i) {
    run_ready();
  }
  EXPECT_LT(waiting(), 10U);
  allow(budget);
  large.close();
  run_until([&] { return waiting() == 3'000; });
}

TEST_F(a_queue_budget, leaves_messages_of_many_unread_peers_in_the_kernel) {
  constexpr std::size_t many = 50;
  allow(mebi);
  pull_socket pull{executor(), unmarked()};
  const auto at = pull.bind("tcp://127.0.0.1:*");
  std::string stream;
  for (int i = 0; i < 500; ++i) {
    stream += frame(0, std::string(kibi, 'x'));
  }
  std::vector<std::unique_ptr<raw_peer>> peers;
  for (std::size_t i = 0; i < many; ++i) {
    peers.push_back(std::make_unique<raw_peer>(context()));
    peers.back()->connect(at);
    peers.back()->shake_hands("PUSH");
    peers.back()->send(stream);
  }
  const auto all_have = [&] {
    const auto status = pull.peers();
    return status.size() == many && std::all_of(status.begin(), status.end(), [](const auto& p) {
             return p.messages_to_receive != 0;
           });
  };
  run_until(all_have);
  for (int i = 0; i < 200; ++i) {
    run_ready();
  }
  // A few messages of each peer, and the messages of the same read.
  EXPECT_LE(used(), mebi + many * 16 * kibi);
  std::size_t received = 0;
  run_until([&] {
    for (message m; pull.try_receive(m);) {
      ++received;
    }
    return received == many * 500;
  });
}

TEST_F(a_queue_budget, does_not_stop_conflating_sockets) {
  allow(0);
  auto options = unmarked();
  options.conflate = true;
  push_socket push{executor(), options};
  push.connect(nobody);
  EXPECT_EQ(push.try_send(numbered(0, 100 * kibi)), send_status::queued);
  EXPECT_GE(used(), 100 * kibi);
  for (std::size_t i = 1; i < 100; ++i) {
    EXPECT_EQ(push.try_send(numbered(i, 100 * kibi)), send_status::queued);
  }
  EXPECT_LE(used(), 110 * kibi);
}

TEST_F(a_queue_budget, counts_a_published_message_once) {
  pub_socket pub{executor(), unmarked()};
  const auto at = pub.bind("tcp://127.0.0.1:*");
  std::vector<std::unique_ptr<sub_socket>> subs;
  for (int i = 0; i < 20; ++i) {
    subs.push_back(std::make_unique<sub_socket>(executor(), unmarked()));
    subs.back()->subscribe("");
    subs.back()->connect(at.to_string());
  }
  run_until([&] { return pub.subscribers("") == subs.size(); });
  // Twenty times as much would be more than there is.
  EXPECT_EQ(pub.try_send(numbered(0, 2 * mebi)), send_status::queued);
  EXPECT_GE(used(), 2 * mebi);
  EXPECT_LE(used(), 2 * mebi + 100 * kibi);
  for (const auto& each : subs) {
    EXPECT_EQ(take(*each).back().size(), 2 * mebi);
  }
  run_until([&] { return used() == 0; });
}

// The first owner of a block adds it, and the last owner subtracts it. The sum stays valid when a
// socket is destroyed.
TEST_F(a_queue_budget, is_not_changed_by_the_end_of_one_of_several_owners) {
  for (const bool first : {true, false}) {
    pub_socket pub{executor(), unmarked()};
    const auto at = pub.bind(free_endpoint(medium::inproc));
    std::array<std::unique_ptr<sub_socket>, 2> subs;
    for (auto& each : subs) {
      each = std::make_unique<sub_socket>(executor(), unmarked());
      each->subscribe("");
      each->connect(at.to_string());
    }
    run_until([&] { return pub.subscribers("") == subs.size(); });
    for (std::size_t i = 0; i < 20; ++i) {
      EXPECT_EQ(pub.try_send(numbered(i, 100 * kibi)), send_status::queued);
      // Both have it before either user takes it.
      run_ready();
      EXPECT_EQ(number_of(take(*subs[0])), i);
      EXPECT_EQ(number_of(take(*subs[1])), i);
    }
    subs[first ? 0 : 1].reset();
    run_ready();
    EXPECT_LE(used(), 200 * kibi);
    // Nor below the memory in use.
    push_socket push{executor(), unmarked()};
    push.connect(nobody);
    EXPECT_EQ(push.try_send(numbered(0, 2 * mebi)), send_status::queued);
    EXPECT_GE(used(), 2 * mebi);
    EXPECT_LE(used(), 2 * mebi + 300 * kibi);
  }
}

// The ledger does not get every update while memory is ample. Before it limits others, it must ask
// the sockets for their current use.
TEST_F(a_queue_budget, asks_all_sockets_for_their_use_before_memory_is_scarce) {
  push_socket push{executor(), unmarked()};
  pull_socket pull{executor(), with_marks(1)};
  join(pull, push, medium::inproc);
  for (std::size_t i = 0; i < 30; ++i) {
    put(push, numbered(i, 100 * kibi));
  }
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_EQ(number_of(take(pull)), i);
  }
  EXPECT_GE(used(), 2 * mebi) << "as far as the sender knows";
  push_socket other{executor(), unmarked()};
  other.connect(nobody);
  send_until_full(other, 100 * kibi);
  run_until([&] { return other.writable(); });
  EXPECT_LE(used(), budget / 2 + 300 * kibi);
}

// A socket that the ledger calls may already be destroyed, with its context or without.
TEST_F(a_queue_budget, outlives_waiting_sockets) {
  auto large = std::make_unique<push_socket>(executor(), unmarked());
  large->connect(nobody);
  send_until_full(*large, mebi);
  auto context_of_others = std::make_unique<asio::io_context>();
  {
    std::vector<std::unique_ptr<push_socket>> others;
    for (int i = 0; i < 4; ++i) {
      others.push_back(
          std::make_unique<push_socket>(context_of_others->get_executor(), unmarked()));
      others.back()->connect(nobody_else);
      send_until_full(*others.back(), 10 * kibi);
      others.back()->async_send(numbered(0, 10 * kibi), [](error_code) {});
    }
    others.erase(others.begin());
    large.reset();
    // The ledger calls these sockets, and two of them are destroyed before the calls run.
    others.pop_back();
    context_of_others.reset();
  }
  EXPECT_EQ(used(), 0U);
}

// Stopped readers and active ones in two threads, which share only the budget.
TEST_F(a_queue_budget, holds_with_several_threads) {
  constexpr std::size_t size = 32 * kibi;
  constexpr std::size_t count = 500;
  class side {
  public:
    side(asio::io_context& context, std::atomic<std::size_t>& received)
        : to_stopped_{context.get_executor(), unmarked()},
          stopped_{context.get_executor(), unmarked()},
          sender_{context.get_executor(), unmarked()},
          receiver_{context.get_executor(), unmarked()},
          received_{received} {
      join(stopped_, to_stopped_, medium::tcp);
      join(receiver_, sender_, medium::inproc);
      stuff();
      send_next();
      receive_next();
    }

  private:
    void stuff() {
      to_stopped_.async_send(numbered(0, size), [this](error_code ec) {
        if (!ec) {
          stuff();
        }
      });
    }
    void send_next() {
      if (sent_ < count) {
        sender_.async_send(numbered(sent_++, size), [this](error_code ec) {
          EXPECT_FALSE(ec);
          send_next();
        });
      }
    }
    void receive_next() {
      receiver_.async_receive([this](error_code ec, const message& m) {
        EXPECT_FALSE(ec);
        EXPECT_EQ(number_of(m), received_);
        if (++received_ < count) {
          receive_next();
        }
      });
    }

    push_socket to_stopped_;
    pull_socket stopped_;
    push_socket sender_;
    pull_socket receiver_;
    std::size_t sent_ = 0;
    std::atomic<std::size_t>& received_;
  };
  std::array<std::atomic<std::size_t>, 2> received{};
  other_thread other;
  auto here = std::make_unique<side>(context(), received[0]);
  std::unique_ptr<side> there;
  asio::post(other.context(),
             [&] { there = std::make_unique<side>(other.context(), received[1]); });
  other.start();
  std::size_t most = 0;
  look_until([&] {
    most = std::max(most, used());
    return received[0] == count && received[1] == count;
  });
  EXPECT_LE(most, budget);
  asio::post(other.context(), [&] { there.reset(); });
  here.reset();
  look_until([&] { return used() == 0; });
}

}  // namespace
}  // namespace zmtp::test
