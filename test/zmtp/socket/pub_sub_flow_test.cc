// Subscribers that are slower than their publisher. With no_drop, the publisher waits for them.
// With disconnect_slow, it disconnects them. Without either option, only they miss messages. A full
// SUB stops reading and drops nothing (protocols A8, Z-14).

#include "test/support/raw_peer.h"
#include "test/support/wire.h"
#include "test/zmtp/socket/pub_sub_fixture.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;
using asio::use_awaitable;

class pub_sub_flow : public pub_sub_test {
protected:
  static socket_options no_drop() {
    socket_options options;
    options.no_drop = true;
    return options;
  }
  static socket_options with_receive_mark(std::size_t messages) {
    socket_options options;
    options.receive_mark.messages = messages;
    return options;
  }

  // Sends numbered messages, one after the other as there is room.
  void start_sending(pub_socket& from, std::size_t count, std::size_t size = 10) {
    const auto send_all = [&from, count, body = std::string(size, 'x'),
                           this]() -> asio::awaitable<void> {
      for (std::size_t n = 0; n < count; ++n) {
        message m{"A", std::to_string(n), body};
        co_await from.async_send(std::move(m), use_awaitable);
      }
      all_sent_ = true;
    };
    keep_ = send_all;
    asio::co_spawn(context(), keep_, asio::detached);
  }

  // A peer that subscribes to everything, and reads only on request.
  std::unique_ptr<raw_peer> stalled_subscriber(const endpoint& at, pub_socket& publisher) {
    auto peer = std::make_unique<raw_peer>(context());
    peer->connect(at);
    peer->shake_hands("SUB");
    peer->send(framed_command("SUBSCRIBE", "stalled") + framed_command("SUBSCRIBE", "A"));
    // The subscriber gets this message, too, as soon as it has subscribed.
    const auto before = publisher.counters().messages_sent;
    run_until([&] {
      pub_sub_test::send(publisher, {"stalled"});
      return publisher.counters().messages_sent != before;
    });
    return peer;
  }

  bool all_sent_ = false;
  std::function<asio::awaitable<void>()> keep_;
};

TEST_F(pub_sub_flow, with_no_drop_a_slow_subscriber_loses_nothing_of_200000) {
  constexpr std::size_t count = 200'000;
  pub_socket publisher{executor(), no_drop()};
  sub_socket slow{executor(), with_receive_mark(10)};
  sub_socket fast{executor()};
  const auto at = publisher.bind("tcp://127.0.0.1:*").to_string();
  for (auto* each : {&slow, &fast}) {
    each->subscribe("A");
    each->connect(at);
    agree(publisher, *each);
  }
  start_sending(publisher, count);
  std::size_t of_slow = 0;
  std::size_t of_fast = 0;
  message m;
  const auto receive_up_to = [&](sub_socket& from, std::size_t& received, std::size_t at_most) {
    for (std::size_t i = 0; i < at_most && from.try_receive(m); ++i) {
      ASSERT_EQ(m[1], std::to_string(received));
      ++received;
    }
  };
  run_until([&] {
    receive_up_to(slow, of_slow, 7);
    receive_up_to(fast, of_fast, count);
    return (of_slow == count && of_fast == count) || HasFatalFailure();
  });
  EXPECT_TRUE(all_sent_);
  EXPECT_EQ(publisher.counters().dropped_full, 0U);
}

TEST_F(pub_sub_flow, with_no_drop_sending_waits_for_a_subscriber_that_does_not_read) {
  auto options = no_drop();
  options.send_mark.messages = 100;
  pub_socket publisher{executor(), options};
  const auto at = publisher.bind("tcp://127.0.0.1:*");
  const auto send_broken = stalled_subscriber(at, publisher);
  const std::string body(100'000, 'x');
  std::size_t queued = 0;
  while (publisher.try_send({"A", body}) == send_status::queued) {
    run_ready();
    ASSERT_LT(++queued, 10'000U);
  }
  EXPECT_EQ(publisher.try_send({"A", body}), send_status::full);
  bool sent = false;
  publisher.async_send(message{"A", "last"}, [&](error_code ec) {
    EXPECT_FALSE(ec);
    sent = true;
  });
  run_ready();
  EXPECT_FALSE(sent);
  send_broken->start_reading();
  run_until([&] { return sent && send_broken->traffic().ends_with("last"); });
  const auto received = content_of(send_broken->traffic());
  EXPECT_EQ(received.unread, 0U);
  EXPECT_EQ(received.messages.size(), 1 + queued + 1);
  EXPECT_EQ(publisher.counters().dropped_full, 0U);
}

TEST_F(pub_sub_flow, with_no_drop_writable_waits_for_space) {
  auto options = no_drop();
  options.send_mark.messages = 10;
  pub_socket publisher{executor(), options};
  const auto at = publisher.bind("tcp://127.0.0.1:*");
  const auto send_broken = stalled_subscriber(at, publisher);
  const std::string body(1'000'000, 'x');
  while (publisher.try_send({"A", body}) == send_status::queued) {
    run_ready();
  }
  bool writable = false;
  publisher.async_wait_writable([&](error_code ec) {
    EXPECT_FALSE(ec);
    writable = true;
  });
  run_ready();
  EXPECT_FALSE(writable) << "while a message that the subscriber wants would not be queued";
  send_broken->start_reading();
  run_until([&] { return writable; });
  EXPECT_EQ(publisher.try_send({"A", body}), send_status::queued);
}

TEST_F(pub_sub_flow, without_no_drop_others_get_all_while_one_does_not_read) {
  constexpr std::size_t count = 20'000;
  pub_socket publisher{executor(), with_send_mark(100)};
  const auto at = publisher.bind("tcp://127.0.0.1:*");
  const auto send_broken = stalled_subscriber(at, publisher);
  sub_socket one{executor()};
  sub_socket other{executor()};
  for (auto* each : {&one, &other}) {
    each->subscribe("A");
    each->connect(at.to_string());
    agree(publisher, *each);
  }
  const std::string body(1'000, 'x');
  message m;
  for (std::size_t n = 0; n < count && !HasFatalFailure(); ++n) {
    send(publisher, {"A", std::to_string(n), body});
    if (n % 50 == 49 || n + 1 == count) {
      for (auto* each : {&one, &other}) {
        for (auto expected = n / 50 * 50; expected <= n; ++expected) {
          run_until([&] { return each->try_receive(m); });
          ASSERT_EQ(m[1], std::to_string(expected));
        }
      }
    }
  }
  const auto missed = publisher.counters().dropped_full;
  EXPECT_GT(missed, 0U);
  // The subscriber reads again. Its messages are in order and whole, and their number matches the
  // count of missed messages. It also gets messages that are sent from now on.
  send_broken->start_reading();
  const auto numbers = [&] {
    std::vector<std::size_t> all;
    for (const auto& got : content_of(send_broken->traffic()).messages) {
      if (got.front() == "A") {
        EXPECT_EQ(got.size(), 3U);
        EXPECT_EQ(got.back(), body);
        all.push_back(std::stoul(got[1]));
      }
    }
    return all;
  };
  std::size_t size = 0;
  std::vector<std::size_t> received;
  run_until([&] {
    if (send_broken->received().size() != size) {
      size = send_broken->received().size();
      received = numbers();
    }
    return received.size() + missed == count;
  });
  EXPECT_TRUE(std::is_sorted(received.begin(), received.end()));
  EXPECT_EQ(std::adjacent_find(received.begin(), received.end()), received.end());
  for (std::size_t n = 0; n < 10; ++n) {
    send(publisher, {"A", std::to_string(count + n), body});
  }
  run_until([&] { return numbers().size() == received.size() + 10; });
  EXPECT_EQ(numbers().back(), count + 9);
}

TEST_F(pub_sub_flow, disconnect_slow_disconnects_a_stalled_subscriber_which_misses_nothing_before) {
  auto options = with_send_mark(100);
  options.disconnect_slow = true;
  pub_socket publisher{executor(), options};
  auto watching = publisher.monitor();
  const auto at = publisher.bind("tcp://127.0.0.1:*");
  const auto send_broken = stalled_subscriber(at, publisher);
  sub_socket other{executor()};
  other.subscribe("A");
  other.connect(at.to_string());
  agree(publisher, other);
  const std::string body(10'000, 'x');
  std::size_t sent = 0;
  const auto ended = [&] {
    return publisher.counters().ended[static_cast<std::size_t>(errc::too_slow)];
  };
  message m;
  while (ended() == 0 && !HasFailure()) {
    send(publisher, {"A", std::to_string(sent), body});
    run_until([&] { return other.try_receive(m); });
    ASSERT_EQ(m[1], std::to_string(sent)) << "a subscriber that reads is not affected";
    ++sent;
  }
  EXPECT_GE(publisher.counters().dropped_full, 1U);
  monitor_event event;
  run_until(
      [&] { return watching.try_receive(event) && event.what == monitor_event::kind::detached; });
  EXPECT_EQ(event.reason, errc::too_slow);
  // The subscriber can read the bytes that it had been sent by then, up to the cut.
  send_broken->start_reading();
  run_until([&] { return send_broken->ended(); });
  std::size_t next = 0;
  for (const auto& got : content_of(send_broken->traffic()).messages) {
    if (got.front() == "A") {
      EXPECT_EQ(got[1], std::to_string(next++));
    }
  }
  EXPECT_LT(next, sent);
}

TEST_F(pub_sub_flow, with_disconnect_slow_a_reconnected_subscriber_gets_new_messages) {
  auto options = with_send_mark(10);
  options.disconnect_slow = true;
  pub_socket publisher{executor(), options};
  auto slow_options = with_receive_mark(1);
  slow_options.announce_peers = false;
  slow_options.reconnect = {.initial = 2ms, .maximum = 5ms, .refused_maximum = 5ms, .stable = 1ms};
  sub_socket slow{executor(), slow_options};
  slow.subscribe("A");
  join(publisher, slow);
  agree(publisher, slow);
  const std::string body(100'000, 'x');
  std::size_t sent = 0;
  const auto ended = [&] {
    return publisher.counters().ended[static_cast<std::size_t>(errc::too_slow)];
  };
  while (ended() == 0 && !HasFailure()) {
    send(publisher, {"A", std::to_string(sent++), body});
    run_ready();
  }
  // The subscriber reads the earlier messages without a gap, and reconnects.
  message m;
  run_until([&] {
    while (slow.try_receive(m)) {
    }
    return publisher.subscribers("A") == 1;
  });
  send(publisher, {"A", "again"});
  run_until([&] { return slow.try_receive(m) && m[1] == "again"; });
}

TEST_F(pub_sub_flow, a_full_subscriber_stops_reading_and_drops_nothing) {
  constexpr std::size_t count = 5'000;
  pub_socket publisher{executor(), no_drop()};
  sub_socket subscriber{executor(), with_receive_mark(5)};
  subscriber.subscribe("A");
  join(publisher, subscriber);
  agree(publisher, subscriber);
  start_sending(publisher, count, 10'000);
  // More than both kernel buffers and both queues hold: it comes to a stand, and nothing is dropped.
  for (int i = 0; i < 100; ++i) {
    run_ready();
  }
  EXPECT_FALSE(all_sent_);
  for (std::size_t n = 0; n < count; ++n) {
    ASSERT_EQ(receive(subscriber)[1], std::to_string(n));
  }
  run_until([&] { return all_sent_; });
  EXPECT_EQ(publisher.counters().dropped_full, 0U);
}

// Unwanted messages must not stop the wanted ones, although the user does not receive.
TEST_F(pub_sub_flow, filtered_messages_do_not_fill_the_queue) {
  sub_socket subscriber{executor(), with_receive_mark(10)};
  subscriber.subscribe("A");
  raw_peer publisher{context()};
  publisher.connect(subscriber.bind("tcp://127.0.0.1:*"));
  publisher.shake_hands("PUB");
  std::string unwanted;
  for (int n = 0; n < 10'000; ++n) {
    unwanted += framed({"B", std::to_string(n)});
  }
  publisher.send(unwanted + framed({"A"}));
  bool received = false;
  subscriber.async_receive([&](error_code ec, message m) {
    EXPECT_FALSE(ec);
    EXPECT_EQ(to_parts(m), parts{"A"});
    received = true;
  });
  run_until([&] { return received; });
}

// A burst in one handler exceeds a queue. If the subscriber reads, the kernel has space for the
// rest.
TEST_F(pub_sub_flow, a_burst_of_ten_marks_from_outside_a_turn_arrives) {
  pub_socket publisher{executor(), with_send_mark(100)};
  sub_socket subscriber{executor()};
  subscriber.subscribe("A");
  join(publisher, subscriber);
  agree(publisher, subscriber);
  for (int n = 0; n < 1'000; ++n) {
    send(publisher, {"A", std::to_string(n)});
  }
  EXPECT_EQ(publisher.counters().dropped_full, 0U);
  for (int n = 0; n < 1'000; ++n) {
    ASSERT_EQ(receive(subscriber)[1], std::to_string(n));
  }
}

}  // namespace
}  // namespace zmtp::test
