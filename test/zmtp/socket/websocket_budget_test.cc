// Messages in fragments of WebSocket count for the budget of partial messages.

#include "test/support/bytes.h"
#include "test/support/pattern_test.h"
#include "test/support/raw_peer.h"
#include "test/support/sizes.h"
#include "zmtp/socket/memory_budget.h"
#include "zmtp/socket/pipeline_sockets.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace zmtp::test {
namespace {

std::size_t incomplete() { return process_memory_use().partial_messages; }

// A frame of at least 64 KiB with a mask of zeros: the first, a middle or the last fragment.
std::string fragment(unsigned char head, const std::string& payload) {
  std::string size(8, '\0');
  for (std::size_t i = 0; i < size.size(); ++i) {
    size[size.size() - 1 - i] = static_cast<char>(payload.size() >> (8 * i));
  }
  return static_cast<char>(head) + bytes("ff") + size + std::string(4, '\0') + payload;
}
constexpr unsigned char first = 0x02;
constexpr unsigned char middle = 0x00;
constexpr unsigned char final = 0x80;

class websocket_budget : public pattern_test {
protected:
  ~websocket_budget() override {
    EXPECT_EQ(incomplete(), 0U);
    set_process_memory_budget(before_);
  }

  static void allow(std::size_t partial) {
    auto budget = process_memory_budget();
    budget.partial_messages = partial;
    set_process_memory_budget(budget);
  }
  // Returns a peer after its handshake.
  [[nodiscard]] std::unique_ptr<raw_peer> join(const endpoint& at) {
    auto peer = std::make_unique<raw_peer>(context());
    peer->connect(at.carrier());
    peer->start_reading();
    peer->send(
        "GET /zws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Protocol: ZWS2.0\r\n\r\n" +
        bytes("82 81 00 00 00 00 00"));
    return peer;
  }
  [[nodiscard]] std::uint64_t evicted() const {
    return pull_.counters().ended[static_cast<std::size_t>(errc::partial_message_evicted)];
  }

  pull_socket pull_{executor()};
  endpoint at_ = pull_.bind("ws://127.0.0.1:*/zws");

private:
  memory_budget before_ = process_memory_budget();
};

TEST_F(websocket_budget, a_message_counts_until_its_last_fragment_has_come) {
  const auto peer = join(at_);
  const std::string half(300 * kibi, 'x');
  for (int round = 0; round < 2; ++round) {
    peer->send(fragment(first, '\0' + half));
    run_until([&] { return incomplete() > half.size(); });
    peer->send(fragment(final, half));
    EXPECT_EQ(take(pull_).front().size(), 2 * half.size());
    run_until([&] { return incomplete() == 0; });
  }
  EXPECT_EQ(evicted(), 0U);
}

TEST_F(websocket_budget, a_whole_message_that_waits_for_the_user_counts_as_queued) {
  socket_options options;
  options.receive_mark = {.messages = 1, .bytes = {}};
  pull_socket full{executor(), options};
  const auto peer = join(full.bind("ws://127.0.0.1:*/zws"));
  const std::string one(64 * kibi, '1');
  const std::string half(300 * kibi, 'x');
  peer->send(fragment(first | final, '\0' + one) + fragment(first, '\0' + half) +
             fragment(final, half));
  run_until([&] { return process_memory_use().queued > 2 * half.size() && incomplete() == 0; });
  EXPECT_TRUE(take(full).front() == one);
  EXPECT_EQ(take(full).front().size(), 2 * half.size());
}

TEST_F(websocket_budget, fragments_without_an_end_close_their_connection_and_no_other) {
  allow(mebi);
  const auto good = join(at_);
  good->send(fragment(first, '\0' + std::string(100 * kibi, 'g')));
  run_until([&] { return incomplete() > 100 * kibi; });
  const auto bad = join(at_);
  const std::string some(64 * kibi, 'b');
  bad->send(fragment(first, '\0' + some));
  for (int i = 0; i < 14; ++i) {
    bad->send(fragment(middle, some));
  }
  run_until([&] { return bad->ended(); });
  EXPECT_EQ(evicted(), 1U);
  good->send(fragment(final, std::string(100 * kibi, 'g')));
  EXPECT_EQ(take(pull_).front().size(), 200 * kibi);
  EXPECT_EQ(evicted(), 1U);
  EXPECT_FALSE(good->ended());
  run_until([&] { return incomplete() == 0; });
}

TEST_F(websocket_budget, many_partial_messages_stay_within_the_budget) {
  constexpr std::size_t count = 16;
  allow(4 * mebi);
  std::vector<std::unique_ptr<raw_peer>> peers;
  for (std::size_t i = 0; i < count; ++i) {
    peers.push_back(join(at_));
    peers.back()->send(fragment(first, '\0' + std::string(900 * kibi, 'x')));
  }
  // At most four of them have room.
  run_until([&] { return evicted() >= count - 4; });
  run_ready();
  EXPECT_LE(incomplete(), 4 * mebi);
  pull_.close(std::chrono::milliseconds{0});
  run_until([&] { return incomplete() == 0; });
}

}  // namespace
}  // namespace zmtp::test
