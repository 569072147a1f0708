// The budget of all partial messages together, across sockets and threads.

#include "zmtp/socket/memory_budget.h"

#include "test/support/other_thread.h"
#include "test/support/pattern_test.h"
#include "test/support/raw_peer.h"
#include "test/support/sizes.h"
#include "test/support/wire.h"
#include "zmtp/engine/memory_limit.h"
#include "zmtp/socket/monitor.h"
#include "zmtp/socket/pipeline_sockets.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;

std::uint64_t evicted(const socket_counters& of) {
  return of.ended[static_cast<std::size_t>(errc::partial_message_evicted)];
}

std::size_t incomplete() { return process_memory_use().partial_messages; }

// Sends one message in pieces, and reads its input.
class half_sender {
public:
  half_sender(asio::io_context& context, const endpoint& to, std::size_t size, char fill)
      : peer_{context}, left_{size}, fill_{fill} {
    peer_.connect(to);
    peer_.start_reading();
    peer_.shake_hands("PUSH");
    peer_.send(frame_header(0, size));
  }

  void send(std::size_t bytes) {
    const auto count = std::min(bytes, left_);
    peer_.send(std::string(count, fill_));
    left_ -= count;
  }
  void send_rest() { send(left_); }
  void close() { peer_.close(); }
  [[nodiscard]] bool ended() const { return peer_.ended(); }

private:
  raw_peer peer_;
  std::size_t left_;
  char fill_;
};

class a_memory_budget : public pattern_test {
protected:
  a_memory_budget() { allow(4 * mebi); }
  ~a_memory_budget() override {
    EXPECT_EQ(incomplete(), 0U);
    set_process_memory_budget(before_);
  }

  static void allow(std::size_t bytes) {
    auto budget = process_memory_budget();
    budget.partial_messages = bytes;
    set_process_memory_budget(budget);
  }
  [[nodiscard]] std::unique_ptr<half_sender> begin(const endpoint& to, std::size_t size,
                                                   std::size_t sent, char fill = 'x') {
    auto peer = std::make_unique<half_sender>(context(), to, size, fill);
    peer->send(sent);
    return peer;
  }
  void wait_until_used(std::size_t bytes) {
    look_until([&] { return incomplete() >= bytes; });
  }
  // Waits for another thread, which sends no notification.
  template <class Done>
  void look_until(Done&& done) {
    const auto end = std::chrono::steady_clock::now() + timeout;
    context().restart();
    while (!done()) {
      if (std::chrono::steady_clock::now() > end) {
        FAIL() << "time has run out";
      }
      context().run_one_for(1ms);
    }
  }

private:
  const memory_budget before_ = process_memory_budget();
};

TEST(memory_budget_of_the_process, is_a_sixteenth_of_the_available_memory) {
  EXPECT_EQ(process_memory_budget().partial_messages, process_memory() / 16);
}

TEST_F(a_memory_budget, a_spent_budget_closes_the_largest_and_the_others_complete) {
  pull_socket pull{executor()};
  auto watching = pull.monitor();
  const auto at = pull.bind("tcp://127.0.0.1:*");
  const auto large = begin(at, 3 * mebi, 5 * mebi / 2);
  wait_until_used(3 * mebi);
  std::vector<std::unique_ptr<half_sender>> small;
  const std::string fills = "abcd";
  for (const char fill : fills) {
    small.push_back(begin(at, 600 * kibi, 300 * kibi, fill));
  }
  run_until([&] { return large->ended(); });
  EXPECT_EQ(evicted(pull.counters()), 1U);
  wait_until_used(4 * 600 * kibi);
  EXPECT_LT(incomplete(), 3 * mebi);
  for (const auto& each : small) {
    EXPECT_FALSE(each->ended());
    each->send_rest();
  }
  std::set<char> received;
  for (std::size_t i = 0; i < small.size(); ++i) {
    const auto m = take(pull);
    const auto fill = m.front().front();
    EXPECT_EQ(m, message{std::string(600 * kibi, fill)});
    received.insert(fill);
  }
  EXPECT_EQ(received, (std::set<char>{fills.begin(), fills.end()}));
  EXPECT_EQ(evicted(pull.counters()), 1U);
  monitor_event event;
  while (event.what != monitor_event::kind::detached && watching.try_receive(event)) {
  }
  EXPECT_EQ(event.what, monitor_event::kind::detached);
  EXPECT_EQ(event.reason, errc::partial_message_evicted);
}

TEST_F(a_memory_budget, closes_only_the_connection_that_grows_if_it_is_the_largest) {
  pull_socket pull{executor()};
  const auto at = pull.bind("tcp://127.0.0.1:*");
  const auto small = begin(at, mebi, mebi / 2);
  wait_until_used(mebi);
  const auto large = begin(at, 5 * mebi, 5 * mebi - 1);
  run_until([&] { return large->ended(); });
  EXPECT_EQ(evicted(pull.counters()), 1U);
  small->send_rest();
  EXPECT_EQ(take(pull).front().size(), mebi);
}

TEST_F(a_memory_budget, covers_all_sockets_together) {
  pull_socket first{executor()};
  pull_socket second{executor()};
  const auto large = begin(first.bind("tcp://127.0.0.1:*"), 3 * mebi, 5 * mebi / 2);
  wait_until_used(3 * mebi);
  const auto other = begin(second.bind("tcp://127.0.0.1:*"), 2 * mebi, 3 * mebi / 2);
  run_until([&] { return large->ended(); });
  EXPECT_EQ(evicted(first.counters()), 1U);
  other->send_rest();
  EXPECT_EQ(take(second).front().size(), 2 * mebi);
  EXPECT_EQ(evicted(second.counters()), 0U);
}

TEST_F(a_memory_budget, gets_back_the_memory_of_completed_and_disconnected_messages) {
  pull_socket pull{executor()};
  const auto at = pull.bind("tcp://127.0.0.1:*");
  const auto comes = begin(at, 2 * mebi, 2 * mebi - 1);
  wait_until_used(2 * mebi);
  comes->send_rest();
  EXPECT_EQ(take(pull).front().size(), 2 * mebi);
  run_until([&] { return incomplete() == 0; });
  const auto goes = begin(at, 2 * mebi, 2 * mebi - 1);
  wait_until_used(2 * mebi);
  goes->close();
  run_until([&] { return incomplete() == 0; });
  const auto stays = begin(at, 2 * mebi, 2 * mebi - 1);
  wait_until_used(2 * mebi);
  pull.close();
  run_until([&] { return incomplete() == 0; });
  EXPECT_EQ(evicted(pull.counters()), 0U);
}

TEST_F(a_memory_budget, gets_back_the_memory_of_a_destroyed_context) {
  pull_socket pull{executor()};
  {
    const auto half = begin(pull.bind("tcp://127.0.0.1:*"), 2 * mebi, 2 * mebi - 1);
    wait_until_used(2 * mebi);
  }
  destroy_context();
  EXPECT_EQ(incomplete(), 0U);
}

TEST_F(a_memory_budget, is_not_used_for_small_messages) {
  allow(0);
  pull_socket pull{executor()};
  const auto at = pull.bind("tcp://127.0.0.1:*");
  std::vector<std::unique_ptr<half_sender>> peers;
  for (int i = 0; i < 5; ++i) {
    peers.push_back(begin(at, 60 * kibi, 59 * kibi));
  }
  run_until([&] { return pull.peers().size() == peers.size(); });
  for (const auto& each : peers) {
    each->send_rest();
  }
  for (std::size_t i = 0; i < peers.size(); ++i) {
    EXPECT_EQ(take(pull).front().size(), 60 * kibi);
  }
  EXPECT_EQ(evicted(pull.counters()), 0U);
  // No memory is left for a message that needs a block of its own.
  const auto large = begin(at, 300 * kibi, 280 * kibi);
  run_until([&] { return large->ended(); });
  EXPECT_EQ(evicted(pull.counters()), 1U);
}

// These connections would not ask again, because no more bytes arrive.
TEST_F(a_memory_budget, counts_partial_messages_that_stop_within_the_shared_buffer) {
  pull_socket pull{executor()};
  const auto at = pull.bind("tcp://127.0.0.1:*");
  std::vector<std::unique_ptr<half_sender>> peers;
  for (int i = 0; i < 16; ++i) {
    peers.push_back(begin(at, 250 * kibi, 200 * kibi));
  }
  run_until([&] { return incomplete() == 4 * mebi; });
  EXPECT_EQ(evicted(pull.counters()), 0U);
  const auto one_more = begin(at, 250 * kibi, 200 * kibi);
  run_until(
      [&] { return peers[0]->ended() || peers[1]->ended() || evicted(pull.counters()) != 0; });
  EXPECT_EQ(evicted(pull.counters()), 1U);
  EXPECT_LE(incomplete(), 4 * mebi);
}

// A full queue stops reading in the middle of the next message, in the block of the one before.
TEST_F(a_memory_budget, does_not_count_messages_that_wait_for_the_user) {
  pull_socket pull{executor(), with_marks(1)};
  const auto at = pull.bind("tcp://127.0.0.1:*");
  const parts large{std::string(600 * kibi, 'w'), std::string(100 * kibi, 'w')};
  raw_peer waits{context()};
  waits.connect(at);
  waits.start_reading();
  waits.shake_hands("PUSH");
  for (int i = 0; i < 4; ++i) {
    waits.send(framed(large));
  }
  run_until([&] { return pull.peers().size() == 1 && pull.peers()[0].messages_to_receive == 1; });
  run_ready();
  EXPECT_EQ(incomplete(), 0U);
  allow(mebi);
  const auto comes = begin(at, 500 * kibi, 400 * kibi);
  wait_until_used(500 * kibi);
  allow(4 * mebi);
  comes->send_rest();
  for (int i = 0; i < 5; ++i) {
    const auto m = take(pull);
    EXPECT_TRUE(m == (message{large[0], large[1]}) || m == message{std::string(500 * kibi, 'x')});
  }
  EXPECT_EQ(evicted(pull.counters()), 0U);
}

// A PULL of another thread, which is incomplete there only.
class distant_pull {
public:
  distant_pull() {
    co_spawn(thread_->context(), receive(), asio::detached);
    thread_->start();
  }
  distant_pull(const distant_pull&) = delete;
  distant_pull& operator=(const distant_pull&) = delete;
  ~distant_pull() {
    asio::post(thread_->context(), [this] { pull_.reset(); });
    thread_.reset();
  }

  [[nodiscard]] const endpoint& at() const noexcept { return at_; }
  [[nodiscard]] std::size_t received() const noexcept { return received_; }
  [[nodiscard]] std::size_t damaged() const noexcept { return damaged_; }
  [[nodiscard]] std::uint64_t evicted() {
    std::promise<std::uint64_t> notified;
    asio::post(thread_->context(), [&] { notified.set_value(test::evicted(pull_->counters())); });
    return notified.get_future().get();
  }

private:
  asio::awaitable<void> receive() {
    for (;;) {
      error_code ec;
      const message m =
          co_await pull_->async_receive(asio::redirect_error(asio::use_awaitable, ec));
      if (ec) {
        co_return;
      }
      const auto body = m.front();
      damaged_ += body.find_first_not_of(body.front()) != std::string_view::npos;
      ++received_;
    }
  }

  std::atomic<std::size_t> received_ = 0;
  std::atomic<std::size_t> damaged_ = 0;
  std::optional<other_thread> thread_{std::in_place};
  std::optional<pull_socket> pull_{std::in_place, thread_->context().get_executor()};
  const endpoint at_ = pull_->bind("tcp://127.0.0.1:*");
};

TEST_F(a_memory_budget, evicts_the_message_of_another_thread_if_it_is_larger) {
  distant_pull there;
  pull_socket here{executor()};
  const auto at = here.bind("tcp://127.0.0.1:*");
  // The other way round next time.
  for (const auto& [large_at, small_at] : {std::pair{there.at(), at}, std::pair{at, there.at()}}) {
    const auto large = begin(large_at, 3 * mebi, 5 * mebi / 2);
    wait_until_used(3 * mebi);
    const auto small = begin(small_at, 2 * mebi, 3 * mebi / 2);
    run_until([&] { return large->ended(); });
    EXPECT_FALSE(small->ended());
    small->send_rest();
    if (small_at == at) {
      EXPECT_EQ(take(here).front().size(), 2 * mebi);
      EXPECT_EQ(there.evicted(), 1U);
    } else {
      look_until([&] { return there.received() == 1; });
      EXPECT_EQ(there.damaged(), 0U);
      EXPECT_EQ(evicted(here.counters()), 1U);
    }
  }
}

TEST_F(a_memory_budget, holds_with_several_threads) {
  constexpr std::size_t peers_each = 8;
  std::mt19937 random{11};
  distant_pull first;
  distant_pull second;
  std::vector<std::unique_ptr<half_sender>> peers;
  for (std::size_t i = 0; i < peers_each; ++i) {
    for (const auto* to : {&first, &second}) {
      peers.push_back(begin(to->at(), 300 * kibi + random() % (2 * mebi), 0,
                            static_cast<char>('a' + peers.size())));
    }
  }
  const auto ended = [&] {
    return static_cast<std::size_t>(
        std::count_if(peers.begin(), peers.end(), [](const auto& each) { return each->ended(); }));
  };
  for (std::size_t sent = 0; sent < 3 * mebi; sent += 100 * kibi) {
    for (const auto& each : peers) {
      each->send(100 * kibi);
      run_ready();
    }
    EXPECT_LE(incomplete(), 4 * mebi);
  }
  look_until([&] { return first.received() + second.received() + ended() == peers.size(); });
  EXPECT_EQ(first.damaged() + second.damaged(), 0U);
  EXPECT_EQ(first.evicted() + second.evicted(), ended());
  EXPECT_GT(first.received() + second.received(), 0U);
}

}  // namespace
}  // namespace zmtp::test
