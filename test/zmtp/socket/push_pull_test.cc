// PUSH and PULL over the network: each way to send and to receive, over each transport,
// whichever side binds.

#include "test/support/pattern_test.h"
#include "test/support/raw_peer.h"
#include "test/support/wire.h"
#include "zmtp/socket/pipeline_sockets.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;
using asio::use_awaitable;

class push_pull : public pattern_test, public testing::WithParamInterface<meeting> {
protected:
  void SetUp() override { join(GetParam(), push_, pull_); }

  push_socket push_{executor()};
  pull_socket pull_{executor()};
};

INSTANTIATE_TEST_SUITE_P(bound_by, push_pull, testing::ValuesIn(meetings()),
                         testing::PrintToStringParamName());

TEST_P(push_pull, messages_arrive_one_by_one) {
  constexpr int count = 2'500;
  const auto send = [&]() -> asio::awaitable<void> {
    for (int i = 0; i < count; ++i) {
      message m{std::to_string(i), "", "more"};
      co_await push_.async_send(std::move(m), use_awaitable);
    }
  };
  int received = 0;
  const auto receive_all = [&]() -> asio::awaitable<void> {
    for (; received < count; ++received) {
      const message m = co_await pull_.async_receive(use_awaitable);
      EXPECT_EQ(m, (message{std::to_string(received), "", "more"}));
    }
  };
  asio::co_spawn(context(), send, asio::detached);
  asio::co_spawn(context(), receive_all, asio::detached);
  run_until([&] { return received == count; });
  EXPECT_EQ(push_.counters().messages_sent, static_cast<std::size_t>(count));
  EXPECT_EQ(pull_.counters().messages_received, static_cast<std::size_t>(count));
}

TEST_P(push_pull, messages_arrive_in_batches) {
  constexpr std::size_t count = 5'000;
  message_batch batch;
  for (std::size_t i = 0; i < count; ++i) {
    batch.append(std::to_string(i));
  }
  std::optional<std::size_t> sent;
  push_.async_send(batch, [&](error_code ec, std::size_t n) {
    EXPECT_FALSE(ec);
    sent = n;
  });
  std::size_t received = 0;
  const auto receive_all = [&]() -> asio::awaitable<void> {
    message_batch some;
    while (received < count) {
      const auto n = co_await pull_.async_receive(some, use_awaitable);
      EXPECT_EQ(n, some.size());
      EXPECT_GT(n, 0U);
      EXPECT_LE(n, 1'024U);
      for (const auto m : some) {
        EXPECT_EQ(m.to_message(), message{std::to_string(received++)});
      }
    }
  };
  asio::co_spawn(context(), receive_all, asio::detached);
  run_until([&] { return received == count; });
  EXPECT_EQ(sent, count);
  EXPECT_TRUE(batch.empty());
}

TEST_P(push_pull, messages_arrive_with_try_calls) {
  wait_for_peer(push_);
  // A mark full, for a side that connects has a peer before it is connected.
  for (int i = 0; i < 1'000; ++i) {
    ASSERT_EQ(push_.try_send(message{std::to_string(i)}), send_status::queued);
  }
  for (int i = 0; i < 1'000; ++i) {
    ASSERT_EQ(take(pull_), message{std::to_string(i)});
  }
  message m{"as it was"};
  EXPECT_FALSE(pull_.try_receive(m));
  EXPECT_EQ(m, message{"as it was"});
}

TEST_P(push_pull, messages_arrive_after_waits) {
  std::optional<error_code> readable;
  std::optional<error_code> writable;
  pull_.async_wait_readable([&](error_code ec) { readable = ec; });
  push_.async_wait_writable([&](error_code ec) { writable = ec; });
  run_until([&] { return writable.has_value(); });
  EXPECT_FALSE(*writable);
  run_ready();
  EXPECT_FALSE(readable);
  EXPECT_EQ(push_.try_send(message{"1"}), send_status::queued);
  run_until([&] { return readable.has_value(); });
  EXPECT_FALSE(*readable);
  message m;
  ASSERT_TRUE(pull_.try_receive(m));
  EXPECT_EQ(m, message{"1"});
}

TEST_P(push_pull, closing_delivers_queued_messages) {
  wait_for_peer(push_);
  for (int i = 0; i < 1'000; ++i) {
    put(push_, message{std::to_string(i), std::string(1'000, 'x')});
  }
  push_.close();
  for (int i = 0; i < 1'000; ++i) {
    ASSERT_EQ(take(pull_)[0], std::to_string(i));
  }
}

TEST_P(push_pull, a_message_of_every_size_arrives) {
  const std::vector<std::size_t> sizes{0,   1,     90,     254,    255,      256,
                                       257, 4'096, 65'535, 65'536, 5'000'000};
  message_batch batch;
  for (const auto size : sizes) {
    batch.append("head", std::string(size, 'x'), "");
  }
  push_.async_send(batch, [](error_code ec, std::size_t) { EXPECT_FALSE(ec); });
  for (const auto size : sizes) {
    EXPECT_EQ(take(pull_), (message{"head", std::string(size, 'x'), ""})) << size;
  }
}

class push_pull_ends : public pattern_test {};

TEST_F(push_pull_ends, operations_end_at_their_deadline) {
  push_socket push{executor()};
  pull_socket pull{executor()};
  std::vector<error_code> ends;
  const auto note = [&](error_code ec, const auto&...) { ends.push_back(ec); };
  auto to_send = batch_of({message{"1"}, message{"2"}});
  message_batch received;
  push.async_send(message{"m"}, 1ms, note);
  push.async_send(to_send, 1ms, note);
  push.async_wait_writable(1ms, note);
  pull.async_receive(1ms, note);
  pull.async_receive(received, 1ms, note);
  pull.async_wait_readable(1ms, note);
  run_until([&] { return ends.size() == 6; });
  EXPECT_EQ(ends, std::vector<error_code>(6, errc::timed_out));
  EXPECT_EQ(to_send.size(), 2U);
  EXPECT_EQ(push.counters().messages_sent, 0U);
}

TEST_F(push_pull_ends, operations_that_timed_out_neither_sent_nor_received) {
  push_socket push{executor()};
  pull_socket pull{executor()};
  std::vector<error_code> ends;
  const auto note = [&](error_code ec, const auto&...) { ends.push_back(ec); };
  push.async_send(message{"given up"}, 1ms, note);
  pull.async_receive(1ms, note);
  run_until([&] { return ends.size() == 2; });
  join(pull, push);
  put(push, message{"sent"});
  EXPECT_EQ(take(pull), message{"sent"});
}

TEST_F(push_pull_ends, closing_and_destroying_end_pending_operations) {
  std::vector<error_code> ends;
  const auto note = [&](error_code ec, const auto&...) { ends.push_back(ec); };
  {
    push_socket push{executor()};
    pull_socket pull{executor()};
    push.async_send(message{"m"}, note);
    pull.async_receive(note);
    push.close();
    pull.close();
    run_until([&] { return ends.size() == 2; });
    EXPECT_EQ(ends, std::vector<error_code>(2, errc::socket_closed));
    push.async_wait_writable(note);
    pull.async_wait_readable(note);
    run_until([&] { return ends.size() == 4; });
    EXPECT_EQ(ends[2], errc::socket_closed);
    EXPECT_EQ(ends[3], errc::socket_closed);
    EXPECT_EQ(push.try_send(message{"m"}), send_status::closed);
  }
  ends.clear();
  {
    push_socket push{executor()};
    pull_socket pull{executor()};
    push.async_send(message{"m"}, note);
    pull.async_receive(note);
  }
  run_until([&] { return ends.size() == 2; });
  EXPECT_EQ(ends, std::vector<error_code>(2, asio::error::operation_aborted));
}

TEST_F(push_pull_ends, a_cancelled_receive_takes_no_message) {
  push_socket push{executor()};
  pull_socket pull{executor()};
  join(pull, push);
  std::vector<error_code> ends;
  message_batch batch;
  asio::cancellation_signal one;
  asio::cancellation_signal many;
  const auto note = [&](error_code ec, const auto&...) { ends.push_back(ec); };
  pull.async_receive(asio::bind_cancellation_slot(one.slot(), note));
  pull.async_receive(batch, asio::bind_cancellation_slot(many.slot(), note));
  run_ready();
  one.emit(asio::cancellation_type::total);
  many.emit(asio::cancellation_type::terminal);
  put(push, message{"stays"});
  run_until([&] { return ends.size() == 2; });
  EXPECT_EQ(ends, std::vector<error_code>(2, asio::error::operation_aborted));
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(take(pull), message{"stays"});
}

TEST_F(push_pull_ends, a_cancelled_send_queues_no_message_and_a_batch_keeps_the_rest) {
  push_socket push{executor(), with_send_mark(2)};
  std::vector<error_code> ends;
  asio::cancellation_signal one;
  asio::cancellation_signal many;
  const auto note = [&](error_code ec, const auto&...) { ends.push_back(ec); };
  push.async_send(message{"not queued"}, asio::bind_cancellation_slot(one.slot(), note));
  one.emit(asio::cancellation_type::partial);
  run_until([&] { return ends.size() == 1; });
  push.connect("tcp://127.0.0.1:1");
  auto batch = batch_of({message{"1"}, message{"2"}, message{"3"}});
  push.async_send(batch, asio::bind_cancellation_slot(many.slot(), note));
  run_ready();
  many.emit(asio::cancellation_type::total);
  run_until([&] { return ends.size() == 2; });
  EXPECT_EQ(ends, std::vector<error_code>(2, asio::error::operation_aborted));
  EXPECT_EQ(messages_of(batch), std::vector<message>{message{"3"}});
  EXPECT_EQ(push.counters().messages_sent, 2U);
  push.close(0ms);
}

TEST_F(push_pull_ends, no_handler_is_called_within_a_call) {
  push_socket push{executor()};
  pull_socket pull{executor()};
  join(pull, push);
  bool within = true;
  bool sent = false;
  bool received = false;
  push.async_send(message{"m"}, [&](error_code) {
    EXPECT_FALSE(within);
    sent = true;
  });
  within = false;
  run_until([&] { return sent; });
  std::optional<error_code> readable;
  pull.async_wait_readable([&](error_code ec) { readable = ec; });
  run_until([&] { return readable.has_value(); });
  within = true;
  pull.async_receive([&](error_code, const message&) {
    EXPECT_FALSE(within);
    received = true;
  });
  within = false;
  run_until([&] { return received; });
}

class push_pull_peers : public pattern_test {};

TEST_F(push_pull_peers, a_push_sends_to_its_peers_in_turn) {
  push_socket push{executor()};
  std::vector<std::unique_ptr<pull_socket>> pulls;
  for (int i = 0; i < 3; ++i) {
    pulls.push_back(std::make_unique<pull_socket>(executor()));
    join(*pulls.back(), push);
  }
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(push.try_send(message{std::to_string(i)}), send_status::queued);
  }
  for (int i = 0; i < 300; ++i) {
    ASSERT_EQ(take(*pulls[static_cast<std::size_t>(i) % 3]), message{std::to_string(i)});
  }
}

TEST_F(push_pull_peers, a_pull_receives_fairly) {
  pull_socket pull{executor()};
  std::vector<std::unique_ptr<push_socket>> pushes;
  for (int who = 0; who < 4; ++who) {
    pushes.push_back(std::make_unique<push_socket>(executor()));
    join(pull, *pushes.back());
    for (int i = 0; i < 100; ++i) {
      EXPECT_EQ(pushes.back()->try_send(message{std::to_string(who)}), send_status::queued);
    }
  }
  // All has come and waits.
  std::size_t rounds = 0;
  run_to_a_standstill(rounds);
  for (int round = 0; round < 100; ++round) {
    std::set<std::string> from;
    for (int i = 0; i < 4; ++i) {
      message m;
      ASSERT_TRUE(pull.try_receive(m));
      from.emplace(m.front());
    }
    EXPECT_EQ(from.size(), 4U) << "round " << round;
  }
}

TEST_F(push_pull_peers, messages_from_a_pull_are_dropped_and_counted) {
  push_socket push{executor()};
  raw_peer peer{context()};
  peer.connect(push.bind("tcp://127.0.0.1:*"));
  peer.shake_hands("PULL");
  peer.start_reading();
  // More messages than the mark: the user never receives them, but they do not stay in the queue.
  for (int i = 0; i < 5'000; ++i) {
    peer.send(framed({"from a PULL", std::to_string(i)}));
  }
  run_until([&] { return push.counters().dropped_unexpected == 5'000; });
  EXPECT_EQ(push.try_send(message{"hello"}), send_status::queued);
  run_until([&] { return !peer.traffic().empty(); });
  EXPECT_EQ(peer.traffic(), framed({"hello"}));
  EXPECT_FALSE(peer.ended());
}

TEST_F(push_pull_peers, only_suitable_types_are_accepted) {
  push_socket push{executor()};
  pull_socket pull{executor()};
  const auto at_push = push.bind("tcp://127.0.0.1:*");
  const auto at_pull = pull.bind("tcp://127.0.0.1:*");
  std::uint64_t refused = 0;
  for (const auto* type : {"REQ", "REP", "DEALER", "ROUTER", "PUB", "SUB", "XPUB", "XSUB", "PUSH",
                           "PULL", "PAIR", "SOMETHING"}) {
    for (const auto& at : {at_push, at_pull}) {
      raw_peer peer{context()};
      peer.connect(at);
      peer.shake_hands(type);
      peer.start_reading();
      const auto suitable = at == at_push ? "PULL" : "PUSH";
      if (std::string_view{type} == suitable) {
        run_until([&] { return peer.received().size() > 64; });
        run_ready();
        EXPECT_FALSE(peer.ended()) << type;
      } else {
        run_until([&] { return peer.ended(); });
        EXPECT_EQ(peer.traffic(), "") << type;
        ++refused;
      }
    }
  }
  constexpr auto reason = static_cast<std::size_t>(errc::bad_socket_type);
  EXPECT_EQ(push.counters().ended[reason] + pull.counters().ended[reason], refused);
}

}  // namespace
}  // namespace zmtp::test
