// PUSH and PULL whose connection is lost: a side that connected keeps what the kernel has not taken.

#include "test/support/pattern_test.h"
#include "test/support/raw_peer.h"
#include "test/support/wire.h"
#include "zmtp/socket/pipeline_sockets.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;

class push_pull_reconnect : public pattern_test {};

TEST_F(push_pull_reconnect, a_push_connects_and_sends_before_there_is_a_pull) {
  const auto at = reserve();
  push_socket push{executor(), impatient()};
  push.connect(at);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(push.try_send(message{std::to_string(i)}), send_status::queued);
  }
  run_ready();
  pull_socket pull{executor()};
  pull.bind(at);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(take(pull), message{std::to_string(i)});
  }
}

TEST_F(push_pull_reconnect, messages_sent_without_a_pull_arrive_once_and_in_order) {
  const auto at = reserve();
  push_socket push{executor(), impatient()};
  push.connect(at);
  int sent = 0;
  int received = 0;
  for (int round = 0; round < 5; ++round) {
    pull_socket pull{executor()};
    pull.bind(at);
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(push.try_send(message{std::to_string(sent++)}), send_status::queued);
    }
    for (; received < sent; ++received) {
      ASSERT_EQ(take(pull), message{std::to_string(received)});
    }
    pull.close();
    constexpr auto lost = static_cast<std::size_t>(errc::connection_lost);
    const auto before = push.counters().ended[lost];
    run_until([&] { return push.counters().ended[lost] > before; });
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(push.try_send(message{std::to_string(sent++)}), send_status::queued);
    }
  }
  EXPECT_EQ(push.counters().dropped_detached, 0U);
}

TEST_F(push_pull_reconnect, a_partly_written_message_is_sent_again_whole) {
  raw_listener listener{context()};
  std::optional<raw_peer> peer{std::in_place, context()};
  listener.start_accepting(*peer);
  push_socket push{executor(), impatient()};
  push.connect(listener.endpoint());
  run_until([&] { return listener.accepted(); });
  peer->shake_hands("PULL");
  const std::string large(30'000'000, 'x');
  EXPECT_EQ(push.try_send(message{"head", large, "foot"}), send_status::queued);
  EXPECT_EQ(push.try_send(message{"behind it"}), send_status::queued);
  run_ready();
  run_ready();
  peer->reset();
  peer.emplace(context());
  listener.start_accepting(*peer);
  run_until([&] { return listener.accepted(); });
  peer->shake_hands("PULL");
  peer->start_reading();
  push.close();
  run_until([&] { return peer->ended(); });
  const auto got = content_of(peer->traffic());
  EXPECT_EQ(got.unread, 0U);
  ASSERT_EQ(got.messages.size(), 2U);
  EXPECT_EQ(got.messages[0], (parts{"head", large, "foot"}));
  EXPECT_EQ(got.messages[1], parts{"behind it"});
}

// Whole messages before and after any cut, none in pieces, none twice within what one side kept.
TEST_F(push_pull_reconnect, messages_stay_whole_and_in_order_after_repeated_cuts) {
  raw_listener listener{context()};
  push_socket push{executor(), impatient()};
  push.connect(listener.endpoint());
  int sent = 0;
  std::optional<int> last;
  for (std::size_t cut = 0; cut < 40; ++cut) {
    raw_peer peer{context()};
    listener.start_accepting(peer);
    run_until([&] { return listener.accepted(); });
    peer.shake_hands("PULL");
    peer.start_reading();
    for (int i = 0; i < 10; ++i) {
      const auto number = std::to_string(sent++);
      EXPECT_EQ(push.try_send(message{number, std::string(300, 'x'), number}), send_status::queued);
    }
    run_until([&] { return peer.traffic().size() > cut * 70; });
    for (const auto& m : content_of(peer.traffic()).messages) {
      ASSERT_EQ(m.size(), 3U);
      ASSERT_EQ(m[0], m[2]);
      ASSERT_TRUE(!last || *last < std::stoi(m[0])) << m[0] << " after " << *last;
      last = std::stoi(m[0]);
    }
    peer.reset();
    constexpr auto lost = static_cast<std::size_t>(errc::connection_lost);
    run_until([&] { return push.counters().ended[lost] > cut; });
  }
  push.close(0ms);
}

TEST_F(push_pull_reconnect, a_bound_push_drops_and_counts_the_messages_of_a_lost_peer) {
  push_socket push{executor()};
  raw_peer peer{context()};
  const auto at = push.bind("tcp://127.0.0.1:*");
  peer.connect(at);
  peer.shake_hands("PULL");
  wait_for_peer(push);
  std::size_t sent = 0;
  for (; sent < 100; ++sent) {
    EXPECT_EQ(push.try_send(message{std::string(400'000, 'x')}), send_status::queued);
  }
  run_ready();
  peer.reset();
  constexpr auto lost = static_cast<std::size_t>(errc::connection_lost);
  run_until([&] { return push.counters().ended[lost] == 1; });
  EXPECT_GT(push.counters().dropped_detached, 0U);
  EXPECT_LT(push.counters().dropped_detached, sent);
  EXPECT_EQ(push.try_send(message{"without a peer"}), send_status::full);
  // A waiting send continues with the next peer.
  bool waited = false;
  push.async_send(message{"to the next"}, [&](error_code ec) { waited = !ec; });
  pull_socket pull{executor()};
  pull.connect(at.to_string());
  EXPECT_EQ(take(pull), message{"to the next"});
  EXPECT_TRUE(waited);
}

TEST_F(push_pull_reconnect, an_unreachable_endpoint_fills_to_its_mark_and_others_take_the_rest) {
  const auto down = reserve();
  auto options = impatient();
  options.send_mark.messages = 5;
  push_socket push{executor(), options};
  push.connect(down);
  pull_socket up{executor()};
  join(up, push);
  for (int i = 0; i < 100; ++i) {
    put(push, message{std::to_string(i)});
  }
  std::vector<int> got;
  for (int i = 0; i < 95; ++i) {
    got.push_back(std::stoi(std::string{take(up).front()}));
  }
  pull_socket late{executor()};
  late.bind(down);
  for (int i = 0; i < 5; ++i) {
    got.push_back(std::stoi(std::string{take(late).front()}));
  }
  std::sort(got.begin(), got.end());
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(got[static_cast<std::size_t>(i)], i);
  }
}

TEST_F(push_pull_reconnect, a_pull_reconnects_to_a_restarted_push) {
  const auto at = reserve();
  pull_socket pull{executor(), impatient()};
  pull.connect(at);
  for (int round = 0; round < 5; ++round) {
    push_socket push{executor()};
    push.bind(at);
    for (int i = 0; i < 10; ++i) {
      put(push, message{std::to_string(round), std::to_string(i)});
    }
    for (int i = 0; i < 10; ++i) {
      ASSERT_EQ(take(pull), (message{std::to_string(round), std::to_string(i)}));
    }
    push.close();
    constexpr auto lost = static_cast<std::size_t>(errc::connection_lost);
    const auto before = static_cast<std::size_t>(round);
    run_until([&] { return pull.counters().ended[lost] > before; });
  }
}

TEST_F(push_pull_reconnect, messages_that_arrived_before_a_disconnect_are_received) {
  pull_socket pull{executor()};
  raw_peer peer{context()};
  peer.connect(pull.bind("tcp://127.0.0.1:*"));
  peer.shake_hands("PUSH");
  // The user never receives the beginning of another message.
  peer.send(framed({"1"}) + framed({"2", "more"}) + framed({"3", "cut off"}).substr(0, 5));
  peer.close();
  constexpr auto lost = static_cast<std::size_t>(errc::connection_lost);
  run_until([&] { return pull.counters().ended[lost] == 1; });
  EXPECT_EQ(take(pull), message{"1"});
  EXPECT_EQ(take(pull), (message{"2", "more"}));
  message m;
  EXPECT_FALSE(pull.try_receive(m));
}

TEST_F(push_pull_reconnect, a_disconnect_drops_and_counts_queued_messages) {
  push_socket push{executor(), impatient()};
  const auto at = reserve();
  push.connect(at);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(push.try_send(message{"m"}), send_status::queued);
  }
  error_code ec;
  push.disconnect(at, ec);
  EXPECT_FALSE(ec);
  EXPECT_EQ(push.counters().dropped_detached, 3U);
  EXPECT_EQ(push.try_send(message{"m"}), send_status::full);
}

}  // namespace
}  // namespace zmtp::test
