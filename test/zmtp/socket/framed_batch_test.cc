// Batches as runs of framed bytes over the network: between each kind of sockets, over each
// transport, with small marks, cancelled, and after a reconnect.

#include "test/support/pattern_test.h"
#include "test/zmtp/socket/pub_sub_fixture.h"
#include "zmtp/message_batch.h"
#include "zmtp/socket/pipeline_sockets.h"
#include "zmtp/socket/pubsub_sockets.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;
using asio::use_awaitable;

// The body of a message in a stream of sizes that end at and around each boundary.
std::string body(std::size_t number) {
  static constexpr std::size_t sizes[] = {0, 16, 64, 200, 255, 256, 1'000};
  const auto size = number % 997 == 0 ? 70'000 : number % 101 == 0 ? 5'000 : sizes[number % 7];
  return std::string(size, static_cast<char>('a' + number % 26));
}

class framed_batches : public pattern_test {
protected:
  // Sends messages of two parts in batches of up to `most` messages.
  template <class Sender>
  asio::awaitable<void> send_stream(Sender& to, std::size_t count, std::size_t most) {
    message_batch batch;
    for (std::size_t next = 0; next < count;) {
      for (std::size_t i = 0; i < most && next < count; ++i, ++next) {
        batch.append(std::to_string(next), body(next));
      }
      const auto size = batch.size();
      EXPECT_EQ(co_await to.async_send(batch, use_awaitable), size);
      EXPECT_TRUE(batch.empty());
    }
  }
  template <class Receiver>
  asio::awaitable<void> receive_stream(Receiver& from, std::size_t count) {
    message_batch batch;
    while (received_ < count) {
      const auto some = co_await from.async_receive(batch, use_awaitable);
      EXPECT_EQ(some, batch.size());
      EXPECT_GT(some, 0U);
      for (const auto m : batch) {
        EXPECT_EQ(m.size(), 2U);
        EXPECT_EQ(m.front(), std::to_string(received_));
        EXPECT_EQ(m[1], body(received_));
        ++received_;
      }
    }
  }
  template <class Sender, class Receiver>
  void stream(Sender& to, Receiver& from, std::size_t count, std::size_t most) {
    received_ = 0;
    asio::co_spawn(context(), send_stream(to, count, most), asio::detached);
    asio::co_spawn(context(), receive_stream(from, count), asio::detached);
    run_until([&] { return received_ == count; });
    EXPECT_EQ(from.counters().messages_received, count);
    EXPECT_EQ(to.counters().messages_sent, count);
  }

  std::size_t received_ = 0;
};

class each_meeting : public framed_batches, public testing::WithParamInterface<meeting> {};

INSTANTIATE_TEST_SUITE_P(bound_by, each_meeting, testing::ValuesIn(meetings()),
                         testing::PrintToStringParamName());

TEST_P(each_meeting, a_stream_from_push_to_pull) {
  push_socket push{executor()};
  pull_socket pull{executor()};
  join(GetParam(), push, pull);
  stream(push, pull, 5'000, 1'024);
}

TEST_P(each_meeting, a_stream_with_small_marks) {
  push_socket push{executor(), with_marks(7)};
  pull_socket pull{executor(), with_marks(5)};
  join(GetParam(), push, pull);
  stream(push, pull, 1'000, 100);
}

TEST_P(each_meeting, a_stream_from_dealer_to_dealer_and_between_pairs) {
  dealer_socket one{executor()};
  dealer_socket other{executor()};
  join(GetParam(), one, other);
  stream(one, other, 3'000, 200);
  pair_socket first{executor()};
  pair_socket second{executor()};
  join(GetParam(), first, second);
  stream(first, second, 3'000, 200);
}

TEST_P(each_meeting, single_messages_and_batches_mix) {
  push_socket push{executor()};
  pull_socket pull{executor()};
  join(GetParam(), push, pull);
  message_batch batch;
  for (int i = 0; i < 900; ++i) {
    if (i % 3 == 0) {
      put(push, message{std::to_string(i)});
      continue;
    }
    batch.append(std::to_string(i));
    if (i % 3 == 2) {
      EXPECT_EQ(push.try_send(batch), send_status::queued);
    }
  }
  message_batch got;
  for (int i = 0; i < 900;) {
    if (i % 100 < 50) {
      EXPECT_EQ(take(pull), message{std::to_string(i++)});
      continue;
    }
    run_until([&] { return pull.try_receive(got); });
    for (const auto m : got) {
      EXPECT_EQ(m.to_message(), message{std::to_string(i++)});
    }
  }
}

TEST_F(framed_batches, several_pulls_get_equal_shares_of_a_batch) {
  push_socket push{executor()};
  pull_socket a{executor()};
  pull_socket b{executor()};
  join(a, push);
  join(b, push);
  message_batch batch;
  for (int i = 0; i < 1'000; ++i) {
    batch.append(std::to_string(i));
  }
  EXPECT_EQ(push.try_send(batch), send_status::queued);
  for (int i = 0; i < 1'000; ++i) {
    ASSERT_EQ(take(i < 500 ? a : b), message{std::to_string(i)});
  }
}

TEST_F(framed_batches, a_router_sends_a_batch_back_to_its_senders) {
  router_socket router{executor()};
  dealer_socket a{executor()};
  dealer_socket b{executor()};
  join(router, a);
  join(router, b);
  const auto echo = [&]() -> asio::awaitable<void> {
    for (message_batch batch;;) {
      co_await router.async_receive(batch, use_awaitable);
      co_await router.async_send_to(batch, use_awaitable);
    }
  };
  asio::co_spawn(context(), echo, asio::detached);
  int left = 2;
  const auto run = [&](dealer_socket& dealer, std::string name) -> asio::awaitable<void> {
    message_batch batch;
    for (int i = 0; i < 500; ++i) {
      batch.append(name, std::to_string(i));
    }
    co_await dealer.async_send(batch, use_awaitable);
    for (int i = 0; i < 500;) {
      co_await dealer.async_receive(batch, use_awaitable);
      for (const auto m : batch) {
        EXPECT_EQ(m.to_message(), (message{name, std::to_string(i++)}));
      }
    }
    --left;
  };
  asio::co_spawn(context(), run(a, "a"), asio::detached);
  asio::co_spawn(context(), run(b, "b"), asio::detached);
  run_until([&] { return left == 0; });
}

TEST_F(framed_batches, a_batch_tells_of_attach_and_detach_in_order) {
  router_socket router{executor(), announcing()};
  std::vector<routed_message::kind> seen;
  std::optional<peer_id> who;
  const auto run = [&]() -> asio::awaitable<void> {
    for (message_batch batch;;) {
      co_await router.async_receive(batch, use_awaitable);
      for (const auto m : batch) {
        EXPECT_EQ(m.peer(), who.value_or(m.peer()));
        who = m.peer();
        seen.push_back(m.what());
      }
    }
  };
  asio::co_spawn(context(), run, asio::detached);
  {
    dealer_socket dealer{executor()};
    join(router, dealer);
    put(dealer, message{"m"});
    dealer.close();
    run_until([&] { return seen.size() == 3; });
  }
  using kind = routed_message::kind;
  EXPECT_EQ(seen, (std::vector{kind::attached, kind::message, kind::detached}));
}

TEST_F(framed_batches, a_router_waits_for_a_full_peer_if_messages_are_mandatory) {
  auto options = with_marks(10);
  options.mandatory = true;
  options.announce_peers = true;
  router_socket router{executor(), options};
  dealer_socket dealer{executor(), with_marks(10)};
  const auto peer = network_test::join(dealer, router);
  message_batch batch;
  for (int i = 0; i < 20'000; ++i) {
    batch.append_to(peer, std::to_string(i), std::string(1'000, 'x'));
  }
  std::optional<std::size_t> sent;
  router.async_send_to(batch, [&](error_code ec, std::size_t count) {
    EXPECT_FALSE(ec);
    sent = count;
  });
  for (int i = 0; i < 20'000; ++i) {
    ASSERT_EQ(take(dealer).front(), std::to_string(i));
  }
  EXPECT_EQ(sent, 20'000U);
  batch.append_to(peer_id{77, 1}, "nobody");
  std::optional<error_code> end;
  router.async_send_to(batch, [&](error_code ec, std::size_t) { end = ec; });
  run_until([&] { return end.has_value(); });
  EXPECT_EQ(end, errc::host_unreachable);
  EXPECT_EQ(batch.size(), 1U);
}

TEST_F(framed_batches, a_cancelled_receive_took_no_message) {
  push_socket push{executor()};
  pull_socket pull{executor()};
  join(pull, push);
  asio::cancellation_signal stop;
  std::optional<error_code> end;
  message_batch batch;
  batch.append("old content");
  pull.async_receive(batch, asio::bind_cancellation_slot(
                                stop.slot(), [&](error_code ec, std::size_t) { end = ec; }));
  EXPECT_TRUE(batch.empty());
  run_ready();
  stop.emit(asio::cancellation_type::total);
  put(push, message{"stays"});
  run_until([&] { return end.has_value(); });
  EXPECT_EQ(end, asio::error::operation_aborted);
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(take(pull), message{"stays"});
}

TEST_F(framed_batches, a_cancelled_send_keeps_the_rest_of_the_batch) {
  push_socket push{executor(), with_send_mark(2)};
  push.connect("tcp://127.0.0.1:1");
  asio::cancellation_signal stop;
  std::optional<error_code> end;
  std::size_t sent = 0;
  message_batch batch;
  for (const auto* const text : {"1", "2", "3", "4"}) {
    batch.append(text);
  }
  push.async_send(batch,
                  asio::bind_cancellation_slot(stop.slot(), [&](error_code ec, std::size_t n) {
                    end = ec;
                    sent = n;
                  }));
  run_ready();
  EXPECT_EQ(push.try_send(message{"later"}), send_status::full);
  stop.emit(asio::cancellation_type::total);
  run_until([&] { return end.has_value(); });
  EXPECT_EQ(end, asio::error::operation_aborted);
  EXPECT_EQ(sent, 2U);
  EXPECT_EQ(push.counters().messages_sent, 2U);
  ASSERT_EQ(batch.size(), 2U);
  EXPECT_EQ(batch.front().front(), "3");
  EXPECT_EQ(push.try_send(batch), send_status::full);
  EXPECT_EQ(batch.size(), 2U);
  push.close(0ms);
  EXPECT_EQ(push.try_send(batch), send_status::closed);
}

TEST_F(framed_batches, operations_end_at_their_deadline) {
  push_socket push{executor()};
  pull_socket pull{executor()};
  std::vector<error_code> ends;
  const auto note = [&](error_code ec, std::size_t) { ends.push_back(ec); };
  message_batch received;
  message_batch sent;
  sent.append("m");
  pull.async_receive(received, 1ms, note);
  push.async_send(sent, 1ms, note);
  run_until([&] { return ends.size() == 2; });
  EXPECT_EQ(ends, std::vector<error_code>(2, errc::timed_out));
  EXPECT_EQ(sent.size(), 1U);
}

TEST_F(framed_batches, an_empty_batch_is_sent_at_once) {
  push_socket push{executor()};
  message_batch batch;
  EXPECT_EQ(push.try_send(batch), send_status::queued);
  std::optional<std::size_t> sent;
  push.async_send(batch, [&](error_code ec, std::size_t n) {
    EXPECT_FALSE(ec);
    sent = n;
  });
  run_until([&] { return sent.has_value(); });
  EXPECT_EQ(sent, 0U);
}

// A peer that took a part of a batch receives the rest after its reconnect, from whole messages on.
TEST_F(framed_batches, a_reconnect_continues_with_whole_messages) {
  push_socket push{executor(), impatient()};
  message_batch batch;
  constexpr std::size_t count = 1'000;
  for (std::size_t i = 0; i < count; ++i) {
    batch.append(std::to_string(i), std::string(20'000, 'x'));
  }
  const auto at = reserve();
  push.connect(at);
  std::optional<std::size_t> sent;
  push.async_send(batch, [&](error_code ec, std::size_t n) {
    EXPECT_FALSE(ec);
    sent = n;
  });
  run_ready();
  {
    pull_socket first{executor(), with_marks(3)};
    first.bind(at);
    EXPECT_EQ(take(first).front(), "0");
    first.close(0ms);
  }
  pull_socket second{executor()};
  second.bind(at);
  std::optional<std::size_t> last;
  while (last != count - 1 && !HasFailure()) {
    const auto m = take(second);
    ASSERT_EQ(m.size(), 2U);
    ASSERT_EQ(m[1].size(), 20'000U);
    const auto number = std::stoul(std::string{m.front()});
    ASSERT_TRUE(!last || number == *last + 1);
    last = number;
  }
  EXPECT_EQ(sent, count);
}

TEST_F(framed_batches, close_writes_a_queued_batch) {
  push_socket push{executor()};
  pull_socket pull{executor()};
  join(pull, push);
  message_batch batch;
  for (int i = 0; i < 900; ++i) {
    batch.append(std::to_string(i), std::string(2'000, 'x'));
  }
  EXPECT_EQ(push.try_send(batch), send_status::queued);
  push.close();
  for (int i = 0; i < 900; ++i) {
    ASSERT_EQ(take(pull).front(), std::to_string(i));
  }
}

TEST_F(framed_batches, a_conflating_socket_keeps_the_last_message) {
  socket_options options;
  options.conflate = true;
  push_socket push{executor(), options};
  pull_socket pull{executor()};
  const auto at = reserve();
  push.connect(at);
  message_batch batch;
  for (int i = 0; i < 100; ++i) {
    batch.append(std::to_string(i));
  }
  EXPECT_EQ(push.try_send(batch), send_status::queued);
  EXPECT_EQ(push.counters().dropped_conflated, 99U);
  pull.bind(at);
  EXPECT_EQ(take(pull), message{"99"});
}

// The messages of a batch stay as they are while the socket reads further.
TEST_F(framed_batches, a_batch_stays_valid_while_more_arrives) {
  push_socket push{executor()};
  pull_socket pull{executor()};
  join(pull, push);
  std::vector<message_batch> kept;
  for (int i = 0; i < 50; ++i) {
    put(push, message{std::to_string(i), std::string(10'000, static_cast<char>('a' + i % 26))});
    run_until([&] { return pull.try_receive(kept.emplace_back()) || (kept.pop_back(), false); });
  }
  int i = 0;
  for (const auto& batch : kept) {
    for (const auto m : batch) {
      EXPECT_EQ(m.to_message(),
                (message{std::to_string(i), std::string(10'000, static_cast<char>('a' + i % 26))}));
      ++i;
    }
  }
  EXPECT_EQ(i, 50);
}

class published_batches : public pub_sub_test {};

TEST_F(published_batches, reach_subscribers_of_their_topics) {
  pub_socket pub{executor()};
  sub_socket a{executor()};
  sub_socket all{executor()};
  join(pub, a);
  join(pub, all);
  a.subscribe("x");
  agree(pub, a);
  all.subscribe("");
  agree(pub, all);
  message_batch batch;
  std::vector<std::string> expected;
  for (int i = 0; i < 900; ++i) {
    const std::string topic(1, i % 7 == 0 ? 'y' : 'x');
    batch.append(topic, std::to_string(i));
    if (topic == "x") {
      expected.push_back(std::to_string(i));
    }
  }
  EXPECT_EQ(pub.try_send(batch), send_status::queued);
  std::vector<std::string> to_a;
  std::size_t to_all = 0;
  message_batch got;
  run_until([&] {
    if (a.try_receive(got)) {
      for (const auto m : got) {
        to_a.emplace_back(m[1]);
      }
    }
    if (all.try_receive(got)) {
      to_all += got.size();
    }
    return to_a.size() >= expected.size() && to_all >= 900;
  });
  EXPECT_EQ(to_a, expected);
  EXPECT_EQ(to_all, 900U);
}

TEST_F(published_batches, update_the_last_values_of_an_xpub) {
  socket_options options;
  options.xpub.last_values.emplace();
  xpub_socket xpub{executor(), options};
  message_batch batch;
  for (int i = 0; i < 10; ++i) {
    batch.append("topic", std::to_string(i));
  }
  EXPECT_EQ(xpub.try_send(batch), send_status::queued);
  sub_socket sub{executor()};
  join(xpub, sub);
  sub.subscribe("topic");
  EXPECT_EQ(to_parts(receive(sub)), (parts{"topic", "9"}));
}

}  // namespace
}  // namespace zmtp::test
