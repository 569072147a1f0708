// A proxy between sockets of every kind: what comes on one side goes out on the other, and nothing is lost,
// whatever holds it up, steers it or ends it.

#include "zmtp/socket/proxy.h"

#include "test/support/pattern_test.h"
#include "zmtp/socket/complete.h"
#include "zmtp/socket/pair_socket.h"
#include "zmtp/socket/pub_socket.h"
#include "zmtp/socket/pull_socket.h"
#include "zmtp/socket/push_socket.h"
#include "zmtp/socket/rep_socket.h"
#include "zmtp/socket/req_socket.h"
#include "zmtp/socket/sub_socket.h"
#include "zmtp/socket/xpub_socket.h"
#include "zmtp/socket/xsub_socket.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <cstdint>
#include <cstring>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace zmtp::test {
namespace {

using asio::use_awaitable;

message numbered(std::size_t n) { return message{std::to_string(n), "of a stream"}; }

std::vector<std::uint64_t> numbers(const message& m) {
  std::vector<std::uint64_t> all;
  for (const auto part : m) {
    EXPECT_EQ(part.size(), sizeof(std::uint64_t));
    std::memcpy(&all.emplace_back(), part.data(), sizeof(std::uint64_t));
  }
  return all;
}

class proxy_test : public pattern_test {
protected:
  void run(proxy& p) {
    p.async_run([this](error_code ec) { end_ = ec; });
  }
  void expect_end(error_code why) {
    run_until([&] { return end_.has_value(); });
    EXPECT_EQ(end_.value_or(errc::timed_out), why);
    end_.reset();
  }

  std::optional<error_code> end_;
};

class queue_proxy : public proxy_test {
protected:
  void SetUp() override {
    join(frontend_, client_);
    join(backend_, server_);
  }
  // A question of the client goes to the server, and its answer back.
  void ask(const message& question, const message& answer) {
    put(client_, question);
    EXPECT_EQ(take(server_), question);
    put(server_, answer);
    EXPECT_EQ(take(client_), answer);
  }

  router_socket frontend_{executor()};
  dealer_socket backend_{executor()};
  req_socket client_{executor()};
  rep_socket server_{executor()};
};

TEST_F(queue_proxy, requests_and_replies_find_their_way) {
  proxy p{frontend_, backend_};
  run(p);
  ask({"question"}, {"answer"});
  ask({"", std::string(100'000, 'x')}, {"several", "", "parts"});
  const auto& done = p.statistics();
  EXPECT_EQ(done.frontend.messages_received, 2U);
  EXPECT_EQ(done.backend.messages_sent, 2U);
  EXPECT_EQ(done.backend.messages_received, 2U);
  EXPECT_EQ(done.frontend.messages_sent, 2U);
  // The routing id of five octets, the delimiter of none, the parts.
  EXPECT_EQ(done.frontend.octets_received, 2U * 5 + 8 + 100'000);
  EXPECT_EQ(done.backend.octets_sent, done.frontend.octets_received);
  EXPECT_EQ(done.frontend.octets_sent, 2U * 5 + 6 + 12);
  EXPECT_EQ(done.backend.octets_received, done.frontend.octets_sent);
}

TEST_F(queue_proxy, proxies_chain) {
  router_socket middle_front{executor()};
  dealer_socket middle_back{executor()};
  rep_socket far{executor()};
  join(middle_front, backend_);
  join(middle_back, far);
  server_.close();
  proxy first{frontend_, backend_};
  proxy second{middle_front, middle_back};
  run(first);
  run(second);
  for (int i = 0; i < 10; ++i) {
    put(client_, {"question", std::to_string(i)});
    EXPECT_EQ(take(far), (message{"question", std::to_string(i)}));
    put(far, {"answer", std::to_string(i)});
    EXPECT_EQ(take(client_), (message{"answer", std::to_string(i)}));
  }
}

TEST_F(queue_proxy, each_client_gets_its_own_replies) {
  std::vector<std::unique_ptr<req_socket>> clients;
  for (int i = 0; i < 20; ++i) {
    join(frontend_, *clients.emplace_back(std::make_unique<req_socket>(executor())));
    put(*clients.back(), {std::to_string(i)});
  }
  proxy p{frontend_, backend_};
  run(p);
  for (int i = 0; i < 20; ++i) {
    auto question = take(server_);
    question.push_back("answered");
    put(server_, std::move(question));
  }
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(take(*clients[static_cast<std::size_t>(i)]),
              (message{std::to_string(i), "answered"}));
  }
}

TEST_F(queue_proxy, a_reply_to_a_client_that_is_gone_is_dropped_by_the_router_alone) {
  proxy p{frontend_, backend_};
  run(p);
  put(client_, {"question"});
  EXPECT_EQ(take(server_), message{"question"});
  client_.close(std::chrono::milliseconds{0});
  put(server_, {"answer"});
  run_until([&] { return frontend_.counters().dropped_unknown == 1; });
  EXPECT_EQ(p.statistics().dropped, 0U);
  req_socket other{executor()};
  join(frontend_, other);
  put(other, {"next"});
  EXPECT_EQ(take(server_), message{"next"});
}

TEST_F(queue_proxy, sees_to_it_that_both_directions_are_captured) {
  push_socket capture{executor()};
  pull_socket watcher{executor()};
  join(watcher, capture);
  proxy p{frontend_, backend_};
  p.capture_to(capture);
  run(p);
  ask({"question"}, {"answer"});
  const auto first = take(watcher);
  ASSERT_EQ(first.part_count(), 3U);
  EXPECT_EQ(first[2], "question");
  EXPECT_EQ(take(watcher), (message{first[0], "", "answer"}));
}

TEST_F(queue_proxy, obeys_a_rep_which_answers_everything) {
  rep_socket control{executor()};
  req_socket controller{executor()};
  join(control, controller);
  const auto tell = [&](std::string_view what) {
    put(controller, {what});
    return take(controller);
  };
  proxy p{frontend_, backend_};
  p.obey(control);
  run(p);
  ask({"question"}, {"answer"});
  EXPECT_EQ(numbers(tell("STATISTICS")), (std::vector<std::uint64_t>{1, 13, 1, 11, 1, 11, 1, 13}));
  EXPECT_EQ(tell("PAUSE"), message{""});
  put(client_, {"held up"});
  run_to_a_standstill(frontend_.counters().messages_received);
  EXPECT_EQ(numbers(tell("STATISTICS")).front(), 1U);
  EXPECT_EQ(tell("what?"), message{""});
  EXPECT_EQ(tell("RESUME"), message{""});
  EXPECT_EQ(take(server_), message{"held up"});
  EXPECT_EQ(tell("TERMINATE"), message{""});
  expect_end({});
}

TEST_F(queue_proxy, obeys_a_router_whose_answers_find_their_way) {
  router_socket control{executor()};
  dealer_socket controller{executor()};
  join(static_cast<socket&>(control), controller);
  proxy p{frontend_, backend_};
  p.obey(control);
  run(p);
  put(controller, {"STATISTICS"});
  EXPECT_EQ(numbers(take(controller)), std::vector<std::uint64_t>(8, 0));
  put(controller, {"TERMINATE"});
  expect_end({});
}

TEST_F(queue_proxy, obeys_a_pull_which_cannot_answer) {
  pull_socket control{executor()};
  push_socket controller{executor()};
  join(control, controller);
  proxy p{frontend_, backend_};
  p.obey(control);
  run(p);
  put(controller, {"STATISTICS"});
  put(controller, {"TERMINATE"});
  expect_end({});
}

// A stream from producer to PULL, from there through the proxy to PUSH and to a consumer.
class pipeline_proxy : public proxy_test {
protected:
  static constexpr std::size_t mark = 10;

  void SetUp() override { join(pull_, producer_); }
  void produce(std::size_t count) {
    wait_for_peer(producer_);
    for (std::size_t i = 0; i < count; ++i) {
      put(producer_, numbered(i));
    }
  }
  // All in order, those too that the queues had no room for.
  void expect_stream(std::size_t begin, std::size_t end) {
    for (auto i = begin; i < end; ++i) {
      EXPECT_EQ(take(consumer_), numbered(i));
    }
  }

  push_socket producer_{executor(), with_marks(1'000'000)};
  pull_socket pull_{executor(), with_marks(mark)};
  push_socket push_{executor(), with_marks(mark)};
  pull_socket consumer_{executor(), with_marks(mark)};
  proxy proxy_{pull_, push_};
};

TEST_F(pipeline_proxy, takes_nothing_while_nobody_would_take_it) {
  run(proxy_);
  produce(100);
  run_to_a_standstill(pull_.counters().messages_received);
  EXPECT_EQ(proxy_.statistics().frontend.messages_received, 0U);
  join(consumer_, push_);
  expect_stream(0, 100);
}

TEST_F(pipeline_proxy, takes_no_more_than_the_other_side_takes) {
  join(consumer_, push_);
  run(proxy_);
  std::string large(100'000, 'x');
  constexpr std::size_t count = 500;
  wait_for_peer(producer_);
  for (std::size_t i = 0; i < count; ++i) {
    put(producer_, {std::to_string(i), large});
  }
  // Fifty megabytes do not fit into the kernel.
  run_to_a_standstill(proxy_.statistics().frontend.messages_received);
  const auto& done = proxy_.statistics();
  EXPECT_LT(done.frontend.messages_received, count);
  EXPECT_EQ(done.backend.messages_sent, done.frontend.messages_received);
  EXPECT_EQ(pull_.counters().messages_received, push_.counters().messages_sent);
  for (std::size_t i = 0; i < count; ++i) {
    const auto m = take(consumer_);
    ASSERT_EQ(m[0], std::to_string(i));
    EXPECT_EQ(m[1].size(), large.size());
  }
  EXPECT_EQ(done.dropped, 0U);
}

TEST_F(pipeline_proxy, has_messages_of_every_size_pass_in_order) {
  join(consumer_, push_);
  run(proxy_);
  std::vector<message> sent;
  for (std::size_t i = 0; i < 300; ++i) {
    auto& m = sent.emplace_back(message{std::to_string(i)});
    m.push_back(std::string((i * i * 37) % 70'000, 'x'));
    m.push_back(std::string(i % 100, 'y'));
  }
  wait_for_peer(producer_);
  for (const auto& m : sent) {
    put(producer_, m);
  }
  for (const auto& m : sent) {
    EXPECT_EQ(take(consumer_), m);
  }
}

TEST_F(pipeline_proxy, rests_while_it_is_paused) {
  join(consumer_, push_);
  run(proxy_);
  produce(5);
  expect_stream(0, 5);
  proxy_.pause();
  for (std::size_t i = 5; i < 10; ++i) {
    put(producer_, numbered(i));
  }
  run_to_a_standstill(pull_.counters().messages_received);
  EXPECT_EQ(proxy_.statistics().frontend.messages_received, 5U);
  proxy_.resume();
  expect_stream(5, 10);
}

TEST_F(pipeline_proxy, ends_and_begins_again_without_a_loss) {
  join(consumer_, push_);
  produce(1'000);
  std::size_t next = 0;
  for (int i = 0; i < 50; ++i) {
    run(proxy_);
    expect_stream(next, next + 3);
    next += 3;
    proxy_.terminate();
    expect_end({});
  }
  run(proxy_);
  expect_stream(next, 1'000);
}

TEST_F(pipeline_proxy, pausing_and_resuming_at_every_point_loses_nothing) {
  join(consumer_, push_);
  run(proxy_);
  produce(500);
  for (std::size_t i = 0; i < 500; ++i) {
    proxy_.pause();
    if (i % 3 == 0) {
      run_ready();
    }
    proxy_.resume();
    expect_stream(i, i + 1);
  }
}

TEST_F(pipeline_proxy, is_held_up_by_a_capture_that_takes_nothing_and_loses_nothing) {
  push_socket capture{executor(), with_marks(mark)};
  pull_socket watcher{executor(), with_marks(mark)};
  join(consumer_, push_);
  proxy_.capture_to(capture);
  run(proxy_);
  produce(50);
  // The first goes on, and its copy waits.
  expect_stream(0, 1);
  run_to_a_standstill(pull_.counters().messages_received);
  EXPECT_EQ(proxy_.statistics().frontend.messages_received, 1U);
  join(watcher, capture);
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(take(watcher), numbered(i));
    if (i != 0) {
      EXPECT_EQ(take(consumer_), numbered(i));
    }
  }
}

TEST_F(pipeline_proxy, capture_may_miss_what_its_pattern_drops) {
  pub_socket capture{executor()};
  join(consumer_, push_);
  proxy_.capture_to(capture);
  run(proxy_);
  produce(50);
  expect_stream(0, 50);
}

TEST_F(pipeline_proxy, ends_when_a_socket_is_closed) {
  for (auto* closed : {static_cast<socket*>(&pull_), static_cast<socket*>(&push_)}) {
    pull_socket from{executor()};
    push_socket to{executor()};
    proxy p{from, to};
    run(p);
    run_ready();
    closed == &pull_ ? from.close() : to.close();
    if (closed == &push_) {
      // It is waited for only where there is something for it.
      join(from, producer_);
    }
    put(producer_, {"m"});
    put(producer_, {"m"});
    expect_end(errc::socket_closed);
  }
}

TEST_F(pipeline_proxy, a_second_run_at_a_time_is_refused) {
  run(proxy_);
  std::optional<error_code> second;
  proxy_.async_run([&](error_code ec) { second = ec; });
  EXPECT_FALSE(second);
  run_until([&] { return second.has_value(); });
  EXPECT_EQ(second, asio::error::already_started);
  EXPECT_FALSE(end_);
  proxy_.terminate();
  expect_end({});
}

TEST_F(pipeline_proxy, terminating_without_a_run_does_nothing) {
  proxy_.terminate();
  join(consumer_, push_);
  run(proxy_);
  produce(3);
  expect_stream(0, 3);
}

TEST_F(pipeline_proxy, is_cancelled_by_every_type_of_cancellation) {
  for (const auto type : {asio::cancellation_type::terminal, asio::cancellation_type::partial,
                          asio::cancellation_type::total}) {
    asio::cancellation_signal stop;
    proxy_.async_run(asio::bind_cancellation_slot(stop.slot(), [&](error_code ec) { end_ = ec; }));
    run_ready();
    stop.emit(type);
    EXPECT_FALSE(end_);
    expect_end(asio::error::operation_aborted);
    stop.emit(type);  // is of no account any more
  }
}

TEST_F(pipeline_proxy, can_be_cancelled_while_paused) {
  asio::cancellation_signal stop;
  proxy_.pause();
  proxy_.async_run(asio::bind_cancellation_slot(stop.slot(), [&](error_code ec) { end_ = ec; }));
  run_ready();
  stop.emit(asio::cancellation_type::terminal);
  expect_end(asio::error::operation_aborted);
}

TEST_F(pipeline_proxy, destroying_it_ends_its_run) {
  {
    proxy p{pull_, push_};
    run(p);
    run_ready();
  }
  EXPECT_FALSE(end_);
  expect_end(asio::error::operation_aborted);
}

TEST_F(pipeline_proxy, can_be_moved_while_it_runs) {
  auto p = std::make_unique<proxy>(pull_, push_);
  run(*p);
  proxy moved{std::move(*p)};
  p.reset();
  join(consumer_, push_);
  produce(3);
  expect_stream(0, 3);
  proxy other{consumer_, producer_};
  other = std::move(moved);
  produce(3);
  expect_stream(0, 3);
  EXPECT_FALSE(end_);
}

TEST_F(pipeline_proxy, takes_any_completion_token) {
  auto end = proxy_.async_run(asio::use_future);
  proxy_.terminate();
  run_until([&] { return end.wait_for(std::chrono::seconds{0}) == std::future_status::ready; });
  EXPECT_NO_THROW(end.get());
  bool over = false;
  asio::co_spawn(
      context(), [&]() -> asio::awaitable<void> { co_await proxy_.async_run(use_awaitable); },
      [&](const std::exception_ptr& thrown) { over = thrown == nullptr; });
  run_ready();
  proxy_.terminate();
  run_until([&] { return over; });
}

TEST(proxy_context, may_go_while_a_proxy_runs_that_its_own_coroutine_owns) {
  struct owner {
    explicit owner(const asio::any_io_executor& on) : pull{on}, push{on} {}
    pull_socket pull;
    push_socket push;
    std::shared_ptr<int> alive = std::make_shared<int>();
  };
  std::weak_ptr<int> alive;
  {
    asio::io_context context{1};
    const auto serve = [&]() -> asio::awaitable<void> {
      owner own{context.get_executor()};
      alive = own.alive;
      proxy p{own.pull, own.push};
      co_await p.async_run(use_awaitable);
    };
    asio::co_spawn(context, serve, rethrow);
    context.poll();
    EXPECT_FALSE(alive.expired());
  }
  EXPECT_TRUE(alive.expired());
}

class mandatory_proxy : public proxy_test {
protected:
  static socket_options mandatory() {
    auto options = with_marks(1);
    options.mandatory = true;
    options.announce_peers = true;
    return options;
  }

  dealer_socket source_{executor()};
  dealer_socket frontend_{executor()};
  router_socket backend_{executor(), mandatory()};
  proxy proxy_{frontend_, backend_};
};

TEST_F(mandatory_proxy, drops_and_counts_what_has_no_peer) {
  join(static_cast<socket&>(frontend_), source_);
  run(proxy_);
  put(source_, {"nobody", "m"});
  run_until([&] { return proxy_.statistics().dropped == 1; });
  socket_options named;
  named.routing_id = "somebody";
  dealer_socket somebody{executor(), named};
  join(static_cast<socket&>(backend_), somebody);
  for (bool there = false; !there;) {
    run_ready();
    there = backend_.find("somebody").has_value();
  }
  put(source_, {"somebody", "m"});
  EXPECT_EQ(take(somebody), message{"m"});
  EXPECT_EQ(proxy_.statistics().frontend.messages_received, 2U);
  EXPECT_EQ(proxy_.statistics().backend.messages_sent, 1U);
}

TEST_F(mandatory_proxy, keeps_one_message_in_hand_for_a_slow_peer_from_run_to_run) {
  join(static_cast<socket&>(frontend_), source_);
  auto named = with_marks(1);
  named.routing_id = "slow";
  dealer_socket slow{executor(), named};
  join(static_cast<socket&>(backend_), slow);
  run_until([&] { return backend_.find("slow").has_value(); });
  run(proxy_);
  const std::string large(1'000'000, 'x');
  constexpr std::size_t count = 40;
  for (std::size_t i = 0; i < count; ++i) {
    put(source_, {"slow", std::to_string(i), large});
  }
  const auto& done = proxy_.statistics();
  run_to_a_standstill(done.frontend.messages_received);
  EXPECT_EQ(done.frontend.messages_received, done.backend.messages_sent + 1);
  proxy_.terminate();
  expect_end({});
  run(proxy_);
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_EQ(take(slow)[0], std::to_string(i));
  }
  EXPECT_EQ(done.frontend.messages_received, done.backend.messages_sent);
  EXPECT_EQ(done.dropped, 0U);
}

TEST_F(proxy_test, passes_on_what_it_subscribed_to) {
  pub_socket publisher{executor()};
  sub_socket sub{executor()};
  pub_socket pub{executor()};
  sub_socket subscriber{executor()};
  sub.subscribe("A");
  subscriber.subscribe("AB");
  join(publisher, sub);
  join(pub, subscriber);
  proxy p{sub, pub};
  run(p);
  message got;
  // Until the subscriptions have arrived.
  run_until([&] {
    EXPECT_EQ(publisher.try_send(message{"ABC"}), send_status::queued);
    EXPECT_EQ(publisher.try_send(message{"AX"}), send_status::queued);
    EXPECT_EQ(publisher.try_send(message{"B"}), send_status::queued);
    return subscriber.try_receive(got);
  });
  EXPECT_EQ(got, message{"ABC"});
  EXPECT_EQ(p.statistics().backend.messages_received, 0U);
}

// The forwarder that RFC 29 has XPUB and XSUB for.
TEST_F(proxy_test, subscriptions_go_upstream_and_what_is_published_comes_down) {
  pub_socket publisher{executor()};
  xsub_socket frontend{executor()};
  xpub_socket backend{executor()};
  sub_socket subscriber{executor()};
  join(publisher, frontend);
  join(backend, subscriber);
  proxy p{frontend, backend};
  run(p);
  for (int round = 0; round < 3; ++round) {
    subscriber.subscribe("a");
    run_until([&] { return publisher.subscribers("a") == 1; });
    EXPECT_EQ(publisher.subscribers("b"), 0U);
    EXPECT_EQ(publisher.try_send(message{"a", "wanted"}), send_status::queued);
    EXPECT_EQ(take(subscriber), (message{"a", "wanted"}));
    subscriber.unsubscribe("a");
    run_until([&] { return publisher.subscribers("a") == 0; });
  }
  // What a subscriber that goes had subscribed to ends upstream, too.
  subscriber.subscribe("c");
  run_until([&] { return publisher.subscribers("c") == 1; });
  subscriber.close();
  run_until([&] { return publisher.subscribers("c") == 0; });
}

TEST_F(proxy_test, pairs_meet_through_it) {
  pair_socket one{executor()};
  pair_socket front{executor()};
  pair_socket back{executor()};
  pair_socket other{executor()};
  join(front, one);
  join(back, other);
  proxy p{front, back};
  run(p);
  put(one, {"there"});
  EXPECT_EQ(take(other), message{"there"});
  put(other, {"and", "back"});
  EXPECT_EQ(take(one), (message{"and", "back"}));
}

TEST_F(proxy_test, sends_back_what_comes_to_a_socket_that_is_proxied_with_itself) {
  router_socket echo{executor()};
  dealer_socket a{executor()};
  dealer_socket b{executor()};
  const auto at = echo.bind("tcp://127.0.0.1:*").to_string();
  a.connect(at);
  b.connect(at);
  proxy p{echo, echo};
  run(p);
  for (std::size_t i = 0; i < 100; ++i) {
    put(a, numbered(i));
    put(b, numbered(i + 1'000));
  }
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(take(a), numbered(i));
    EXPECT_EQ(take(b), numbered(i + 1'000));
  }
  EXPECT_EQ(p.statistics().frontend.messages_received, 200U);
  EXPECT_EQ(p.statistics().backend.messages_received, 0U);
}

TEST_F(proxy_test, one_end_does_not_keep_the_other_from_its_turn) {
  dealer_socket left{executor()};
  dealer_socket right{executor()};
  dealer_socket front{executor()};
  dealer_socket back{executor()};
  join(static_cast<socket&>(front), left);
  join(static_cast<socket&>(back), right);
  proxy p{front, back};
  run(p);
  for (std::size_t i = 0; i < 500; ++i) {
    put(left, numbered(i));
    put(right, numbered(i));
  }
  for (std::size_t i = 0; i < 500; ++i) {
    EXPECT_EQ(take(right), numbered(i));
    EXPECT_EQ(take(left), numbered(i));
  }
}

static_assert(can_be_proxied<pull_socket, push_socket>);
static_assert(can_be_proxied<push_socket, pull_socket>);
static_assert(!can_be_proxied<pull_socket, sub_socket>);
static_assert(!can_be_proxied<pub_socket, push_socket>);

}  // namespace
}  // namespace zmtp::test
