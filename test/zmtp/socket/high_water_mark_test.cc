// Marks in messages and in bytes, per peer: queued, received and counted messages.

#include "test/support/network_test.h"
#include "test/support/raw_peer.h"
#include "test/support/wire.h"

#include <string>
#include <vector>

namespace zmtp::test {
namespace {

constexpr std::string_view nobody = "tcp://127.0.0.1:1";
constexpr std::string_view nobody_else = "tcp://127.0.0.1:2";

using high_water_mark_test = network_test;

std::size_t send_until_full(dealer_socket& dealer, const message& m) {
  std::size_t sent = 0;
  for (auto copy = m; dealer.try_send(std::move(copy)) == send_status::queued; copy = m) {
    ++sent;
  }
  return sent;
}

TEST_F(high_water_mark_test, limits_the_number_of_messages) {
  dealer_socket dealer{executor(), with_send_mark(7)};
  EXPECT_EQ(dealer.try_send(message{"no peer yet"}), send_status::full);
  dealer.connect(nobody);
  EXPECT_EQ(send_until_full(dealer, message{"m"}), 7U);
  EXPECT_EQ(dealer.counters().messages_sent, 7U);
  // Each endpoint has its own queue.
  dealer.connect(nobody_else);
  EXPECT_EQ(send_until_full(dealer, message{"m"}), 7U);
  dealer.close(std::chrono::milliseconds{0});
}

TEST_F(high_water_mark_test, limits_the_number_of_bytes) {
  socket_options options;
  options.send_mark = {.messages = std::nullopt, .bytes = 10'000};
  dealer_socket dealer{executor(), options};
  dealer.connect(nobody);
  // The queue exceeds its mark by at most one message.
  const auto sent = send_until_full(dealer, message{std::string(999, 'x')});
  EXPECT_EQ(sent, 10U);
  dealer.close(std::chrono::milliseconds{0});
}

TEST_F(high_water_mark_test, accepts_one_message_above_the_byte_mark) {
  socket_options options;
  options.send_mark.bytes = 1'000;
  dealer_socket dealer{executor(), options};
  dealer.connect(nobody);
  EXPECT_EQ(send_until_full(dealer, message{std::string(100'000, 'x')}), 1U);
  dealer.close(std::chrono::milliseconds{0});
}

TEST_F(high_water_mark_test, a_message_that_was_not_queued_is_still_there) {
  dealer_socket dealer{executor(), with_send_mark(1)};
  message m{"kept"};
  EXPECT_EQ(dealer.try_send(std::move(m)), send_status::full);
  EXPECT_EQ(m, message{"kept"});
  dealer.connect(nobody);
  EXPECT_EQ(dealer.try_send(message{"first"}), send_status::queued);
  EXPECT_EQ(dealer.try_send(std::move(m)), send_status::full);
  EXPECT_EQ(m, message{"kept"});
  dealer.close(std::chrono::milliseconds{0});
}

TEST_F(high_water_mark_test, a_message_without_parts_cannot_be_sent) {
  dealer_socket dealer{executor()};
  dealer.connect(nobody);
  EXPECT_NE(dealer.try_send(message{}), send_status::queued);
  std::vector<error_code> ends;
  dealer.async_send(message{}, [&](error_code ec) { ends.push_back(ec); });
  run_until([&] { return ends.size() == 1; });
  EXPECT_EQ(ends[0], errc::bad_message);
  EXPECT_EQ(dealer.counters().messages_sent, 0U);
  dealer.close(std::chrono::milliseconds{0});
}

TEST_F(high_water_mark_test, a_connected_peer_adds_the_buffer_of_the_kernel) {
  router_socket router{executor(), announcing()};
  dealer_socket dealer{executor(), with_send_mark(1)};
  const auto peer = join(dealer, router);
  EXPECT_EQ(router.try_send(peer, message{"you are connected"}), send_status::queued);
  EXPECT_EQ(receive(dealer), message{"you are connected"});
  // A full queue writes before it reports that it is full. Small messages never fill it while the
  // kernel has free buffers.
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(dealer.try_send(message{std::to_string(i)}), send_status::queued);
  }
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(receive(router).content, message{std::to_string(i)});
  }
}

class receive_mark : public network_test {
protected:
  // 24 MB, more than the kernel holds for both ends.
  static constexpr int count = 400;
  static std::string large(int n) { return std::to_string(n) + std::string(60'000, 'x'); }

  void expect_reading_to_stop(const high_water_mark& mark) {
    auto options = announcing();
    options.receive_mark = mark;
    router_socket router{executor(), options};
    raw_peer peer{context()};
    peer.connect(router.bind("tcp://127.0.0.1:*"));
    peer.shake_hands("DEALER");
    EXPECT_EQ(receive(router).what, routed_message::kind::attached);
    for (int i = 0; i < count; ++i) {
      peer.send(framed({large(i)}));
      run_ready();
    }
    EXPECT_GT(peer.unsent(), 0U);
    for (int i = 0; i < count; ++i) {
      ASSERT_EQ(receive(router).content, message{large(i)});
    }
    EXPECT_EQ(peer.unsent(), 0U);
  }
};

TEST_F(receive_mark, a_mark_in_messages_stops_the_reading) {
  expect_reading_to_stop({.messages = 10, .bytes = std::nullopt});
}

TEST_F(receive_mark, a_mark_in_bytes_stops_the_reading) {
  expect_reading_to_stop({.messages = std::nullopt, .bytes = 500'000});
}

TEST_F(receive_mark, may_be_one_message) {
  expect_reading_to_stop({.messages = 1, .bytes = std::nullopt});
}

TEST_F(receive_mark, applies_to_each_peer_separately) {
  auto options = announcing();
  options.receive_mark.messages = 10;
  router_socket router{executor(), options};
  const auto at = router.bind("tcp://127.0.0.1:*");
  raw_peer flooding{context()};
  raw_peer quiet{context()};
  flooding.connect(at);
  flooding.shake_hands("DEALER", "flooding");
  EXPECT_EQ(receive(router).what, routed_message::kind::attached);
  for (int i = 0; i < 1000; ++i) {
    flooding.send(framed({"f"}));
  }
  run_ready();
  quiet.connect(at);
  quiet.shake_hands("DEALER", "quiet");
  quiet.send(framed({"q"}));
  run_until([&] { return router.peers().size() == 2; });
  run_ready();
  int before = 0;
  while (receive(router).content != message{"q"}) {
    ++before;
  }
  // Messages that were read before the second peer connected, and one for each of its two items in
  // turn.
  EXPECT_LE(before, 13);
}

}  // namespace
}  // namespace zmtp::test
