// Features of inproc:// only: sockets of one process, in one executor or in several.

#include "test/support/other_thread.h"
#include "test/support/pattern_test.h"
#include "zmtp/socket/pipeline_sockets.h"
#include "zmtp/socket/pubsub_sockets.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;

class inproc : public pattern_test {
protected:
  // Returns a name that no other test uses.
  [[nodiscard]] static std::string name() {
    return std::string{"inproc://"} + testing::UnitTest::GetInstance()->current_test_info()->name();
  }
};

constexpr std::size_t stream_length = 20'000;

message counted(std::size_t n) {
  // Sizes of every form in a queue: inline, in a chunk, in a block of its own.
  const auto size = n % 1'000 == 7 ? 20'000 : n % 50 == 3 ? 500 : n % 90;
  return message{std::to_string(n), std::string(size, 'x')};
}

asio::awaitable<void> send_numbers(push_socket push) {
  message_batch batch;
  for (std::size_t n = 0; n < stream_length;) {
    for (const auto end = n + 1 + n % 1'500; n < end && n < stream_length; ++n) {
      batch.append(counted(n));
    }
    co_await push.async_send(batch, asio::use_awaitable);
  }
}

asio::awaitable<std::size_t> receive_numbers(pull_socket pull) {
  std::size_t received = 0;
  message_batch batch;
  while (received < stream_length) {
    co_await pull.async_receive(batch, asio::use_awaitable);
    for (const auto m : batch) {
      if (m.to_message() != counted(received)) {
        co_return received;
      }
      ++received;
    }
  }
  co_return received;
}

TEST_F(inproc, a_stream_between_threads_comes_whole_and_in_order) {
  for (const std::size_t mark : {1U, 10U, 1'000U, 100'000U}) {
    other_thread sender;
    other_thread receiver;
    pull_socket pull{receiver.context().get_executor(), with_marks(mark)};
    pull.bind(name());
    push_socket push{sender.context().get_executor(), with_marks(mark)};
    push.connect(name());
    auto received =
        co_spawn(receiver.context(), receive_numbers(std::move(pull)), asio::use_future);
    auto sent = co_spawn(sender.context(), send_numbers(std::move(push)), asio::use_future);
    sender.start();
    receiver.start();
    ASSERT_EQ(received.wait_for(timeout), std::future_status::ready) << "mark " << mark;
    EXPECT_EQ(received.get(), stream_length);
    sent.get();
  }
}

TEST_F(inproc, a_stream_within_an_executor_comes_whole_and_in_order) {
  for (const std::size_t mark : {1U, 10U, 1'000U, 100'000U}) {
    pull_socket pull{executor(), with_marks(mark)};
    pull.bind(name());
    push_socket push{executor(), with_marks(mark)};
    push.connect(name());
    auto received = co_spawn(context(), receive_numbers(std::move(pull)), asio::use_future);
    co_spawn(context(), send_numbers(std::move(push)), asio::detached);
    run_to_the_end();
    EXPECT_EQ(received.get(), stream_length) << "mark " << mark;
  }
}

TEST_F(inproc, sockets_of_a_pool_meet_by_their_strands) {
  asio::thread_pool pool{3};
  // The pool runs already: a socket is used in its strand from the first.
  const auto send = [](asio::any_io_executor own, std::string to) -> asio::awaitable<void> {
    push_socket push{own};
    push.connect(to);
    co_await send_numbers(std::move(push));
  };
  const auto receive = [](asio::any_io_executor own,
                          std::string at) -> asio::awaitable<std::size_t> {
    pull_socket pull{own};
    pull.bind(at);
    co_return co_await receive_numbers(std::move(pull));
  };
  const asio::any_io_executor pulls = asio::make_strand(pool);
  const asio::any_io_executor pushes = asio::make_strand(pool);
  co_spawn(pushes, send(pushes, name()), asio::detached);
  auto received = co_spawn(pulls, receive(pulls, name()), asio::use_future);
  ASSERT_EQ(received.wait_for(timeout), std::future_status::ready);
  EXPECT_EQ(received.get(), stream_length);
  pool.join();
}

TEST_F(inproc, a_name_belongs_to_its_binder_in_every_executor) {
  other_thread other;
  pull_socket first{executor()};
  first.bind(name());
  pull_socket second{other.context().get_executor()};
  error_code ec;
  second.bind(name(), ec);
  EXPECT_EQ(ec, asio::error::address_in_use);
  first.close();
  second.bind(name(), ec);
  EXPECT_FALSE(ec);
  second.close();
  run_to_the_end();
}

TEST_F(inproc, messages_sent_before_a_bind_arrive_after_it) {
  push_socket push{executor()};
  push.connect(name());
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(push.try_send(message{std::to_string(i)}), send_status::queued);
  }
  run_ready();
  pull_socket pull{executor()};
  pull.bind(name());
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(take(pull), message{std::to_string(i)});
  }
}

TEST_F(inproc, a_closed_socket_waits_for_the_name_for_its_linger_time_only) {
  {
    socket_options options;
    options.linger = 1ms;
    push_socket push{executor(), options};
    push.connect(name());
    EXPECT_EQ(push.try_send(message{"for nobody"}), send_status::queued);
  }
  run_to_the_end();
  pull_socket pull{executor()};
  pull.bind(name());
  message none;
  run_ready();
  EXPECT_FALSE(pull.try_receive(none));
}

TEST_F(inproc, messages_sent_before_a_socket_ends_reach_another_thread) {
  pull_socket pull{executor()};
  pull.bind(name());
  {
    other_thread other;
    {
      push_socket push{other.context().get_executor()};
      push.connect(name());
      for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(push.try_send(message{std::to_string(i)}), send_status::queued);
      }
    }
    other.start();
    // The other socket must answer before its thread can end.
    for (int i = 0; i < 100; ++i) {
      EXPECT_EQ(take(pull), message{std::to_string(i)});
    }
  }
}

TEST_F(inproc, types_that_do_not_talk_to_each_other_do_not_meet) {
  pull_socket pull{executor()};
  pull.bind(name());
  sub_socket sub{executor(), impatient()};
  sub.connect(name());
  const auto refusals = [&] {
    return pull.counters().ended[static_cast<std::size_t>(errc::bad_socket_type)];
  };
  run_until([&] { return refusals() >= 2; });
  EXPECT_EQ(pull.peers().size(), 0U);
  EXPECT_EQ(sub.peers().size(), 0U);
}

TEST_F(inproc, a_second_peer_with_the_same_routing_id_is_rejected) {
  auto options = impatient();
  options.routing_id = "same";
  router_socket router{executor(), announcing()};
  router.bind(name());
  dealer_socket first{executor(), options};
  first.connect(name());
  const auto peer = receive(router).peer;
  dealer_socket second{executor(), options};
  second.connect(name());
  run_until([&] {
    return router.counters().ended[static_cast<std::size_t>(errc::duplicate_routing_id)] >= 2;
  });
  EXPECT_EQ(router.try_send(peer, message{"to the first"}), send_status::queued);
  EXPECT_EQ(receive(first), message{"to the first"});
}

TEST_F(inproc, topics_reach_the_publisher_and_change) {
  pub_socket pub{executor()};
  pub.bind(name());
  sub_socket sub{executor()};
  sub.subscribe("a");
  sub.connect(name());
  const auto publish_until_taken = [&](std::string_view topic) {
    message m;
    run_until([&] {
      EXPECT_EQ(pub.try_send(message{topic}), send_status::queued);
      return sub.try_receive(m) && m == message{topic};
    });
  };
  publish_until_taken("a1");
  sub.subscribe("b");
  publish_until_taken("b1");
  sub.unsubscribe("a");
  run_ready();
  const auto sent = pub.counters().messages_sent;
  EXPECT_EQ(pub.try_send(message{"a2"}), send_status::queued);
  EXPECT_EQ(pub.counters().messages_sent, sent) << "nobody is left who wants it";
  publish_until_taken("b2");
}

TEST_F(inproc, last_values_beyond_the_mark_follow_as_the_peer_receives) {
  socket_options store_status;
  store_status.xpub.last_values.emplace();
  store_status.send_mark.messages = 2;
  xpub_socket xpub{executor(), store_status};
  xpub.bind(name());
  constexpr int topics = 10;
  for (int i = 0; i < topics; ++i) {
    EXPECT_EQ(xpub.try_send(message{"topic " + std::to_string(i)}), send_status::queued);
  }
  sub_socket sub{executor(), with_marks(2)};
  sub.subscribe("topic");
  sub.connect(name());
  for (int i = 0; i < topics; ++i) {
    EXPECT_EQ(take(sub), message{"topic " + std::to_string(i)});
  }
}

TEST_F(inproc, a_conflating_socket_continues_after_its_peer_took_a_message) {
  socket_options last_only;
  last_only.conflate = true;
  push_socket push{executor(), last_only};
  push.bind(name());
  pull_socket pull{executor()};
  pull.connect(name());
  wait_for_peer(push);
  for (int i = 0; i < 10; ++i) {
    put(push, message{"longer"});
    EXPECT_EQ(take(pull), message{"longer"});
    EXPECT_EQ(push.try_send(message{"other"}), send_status::queued);
    EXPECT_EQ(push.try_send(message{"short"}), send_status::queued);
    EXPECT_EQ(take(pull), message{"short"});
  }
  EXPECT_EQ(push.counters().dropped_conflated, 10U);
}

TEST_F(inproc, a_destroyed_context_ends_its_side_of_the_connection) {
  pull_socket pull{executor(), impatient()};
  pull.bind(name());
  for (int round = 0; round < 20; ++round) {
    auto other = std::make_unique<asio::io_context>(1);
    auto push = std::make_unique<push_socket>(other->get_executor());
    push->connect(name());
    EXPECT_EQ(push->try_send(message{"hello"}), send_status::queued);
    std::atomic<bool> stop = false;
    std::thread runs{[&] {
      while (!stop) {
        other->run_one_for(1ms);
      }
    }};
    EXPECT_EQ(take(pull), message{"hello"});
    stop = true;
    runs.join();
    // In either order.
    if (round % 2 == 0) {
      other.reset();
      push.reset();
    } else {
      push.reset();
      other.reset();
    }
    const auto gone = [&] { return pull.peers().empty(); };
    run_until(gone);
  }
}

TEST_F(inproc, requests_between_many_threads_have_their_own_answers) {
  static constexpr int snapshot_clients = 4;
  static constexpr int rounds = 500;
  other_thread server;
  rep_socket rep{server.context().get_executor()};
  rep.bind(name());
  const auto answer = [](rep_socket socket) -> asio::awaitable<void> {
    for (int i = 0; i < snapshot_clients * rounds; ++i) {
      co_await socket.async_send(co_await socket.async_receive(asio::use_awaitable),
                                 asio::use_awaitable);
    }
    // The last answers are on their way.
    co_await socket.async_wait_written(asio::use_awaitable);
  };
  const auto ask = [](req_socket socket, int who) -> asio::awaitable<int> {
    for (int i = 0; i < rounds; ++i) {
      const message asked{std::to_string(who), std::to_string(i)};
      co_await socket.async_send(asked, asio::use_awaitable);
      if (co_await socket.async_receive(asio::use_awaitable) != asked) {
        co_return i;
      }
    }
    co_return rounds;
  };
  auto served = co_spawn(server.context(), answer(std::move(rep)), asio::use_future);
  server.start();
  std::vector<std::unique_ptr<other_thread>> threads;
  std::vector<std::future<int>> answered;
  for (int i = 0; i < snapshot_clients; ++i) {
    auto& thread = *threads.emplace_back(std::make_unique<other_thread>());
    req_socket req{thread.context().get_executor()};
    req.connect(name());
    answered.push_back(co_spawn(thread.context(), ask(std::move(req), i), asio::use_future));
    thread.start();
  }
  for (auto& each : answered) {
    ASSERT_EQ(each.wait_for(timeout), std::future_status::ready);
    EXPECT_EQ(each.get(), rounds);
  }
  ASSERT_EQ(served.wait_for(timeout), std::future_status::ready);
  served.get();
}

}  // namespace
}  // namespace zmtp::test
