// A proxy between sockets of every kind: a message from one side goes to the other, and to the
// capture socket if there is one. The proxy answers commands.

#include "zmtp/socket/proxy.h"

#include "test/zmtp/socket/proxy_fixture.h"
#include "zmtp/socket/pipeline_sockets.h"
#include "zmtp/socket/pubsub_sockets.h"
#include "zmtp/socket/request_sockets.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace zmtp::test {
namespace {

std::vector<std::uint64_t> numbers(const message& m) {
  std::vector<std::uint64_t> all;
  for (const auto part : m) {
    EXPECT_EQ(part.size(), sizeof(std::uint64_t));
    std::memcpy(&all.emplace_back(), part.data(), sizeof(std::uint64_t));
  }
  return all;
}

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

TEST_F(queue_proxy, forwards_requests_and_replies) {
  proxy p{frontend_, backend_};
  run(p);
  ask({"question"}, {"answer"});
  ask({"", std::string(100'000, 'x')}, {"several", "", "parts"});
  const auto& done = p.statistics();
  EXPECT_EQ(done.frontend.messages_received, 2U);
  EXPECT_EQ(done.backend.messages_sent, 2U);
  EXPECT_EQ(done.backend.messages_received, 2U);
  EXPECT_EQ(done.frontend.messages_sent, 2U);
  // The routing id of five bytes, the delimiter of none, the parts.
  EXPECT_EQ(done.frontend.bytes_received, 2U * 5 + 8 + 100'000);
  EXPECT_EQ(done.backend.bytes_sent, done.frontend.bytes_received);
  EXPECT_EQ(done.frontend.bytes_sent, 2U * 5 + 6 + 12);
  EXPECT_EQ(done.backend.bytes_received, done.frontend.bytes_sent);
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

TEST_F(queue_proxy, the_router_alone_drops_a_reply_to_a_disconnected_client) {
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

TEST_F(queue_proxy, captures_both_directions) {
  push_socket capture{executor()};
  pull_socket watcher{executor()};
  join(watcher, capture);
  proxy p{frontend_, backend_};
  p.capture_to(capture);
  run(p);
  ask({"question"}, {"answer"});
  const auto first = take(watcher);
  ASSERT_EQ(first.size(), 3U);
  EXPECT_EQ(first[2], "question");
  EXPECT_EQ(take(watcher), (message{first[0], "", "answer"}));
}

TEST_F(queue_proxy, answers_every_command_from_a_rep) {
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

TEST_F(queue_proxy, answers_commands_from_a_router) {
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

TEST_F(queue_proxy, obeys_commands_from_a_pull) {
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

TEST_F(mandatory_proxy, drops_and_counts_messages_to_unknown_peers) {
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

TEST_F(mandatory_proxy, keeps_one_message_for_a_slow_peer_across_runs) {
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

// A batch of many messages goes to sockets that take one at a time.
TEST_F(proxy_test, a_socket_in_lock_step_gets_every_message_of_a_batch) {
  push_socket producer{executor()};
  pull_socket from{executor()};
  req_socket to{executor()};
  rep_socket server{executor()};
  join(from, producer);
  join(to, server);
  for (std::size_t i = 0; i < 50; ++i) {
    put(producer, numbered(i));
  }
  run_to_a_standstill(from.counters().bytes_received);
  proxy p{from, to};
  run(p);
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(take(server), numbered(i));
    put(server, {"done"});
    // The proxy forwards in one direction, so the test takes the reply.
    EXPECT_EQ(take(to), message{"done"});
  }
  EXPECT_EQ(p.statistics().dropped, 0U);
  EXPECT_EQ(p.statistics().backend.messages_sent, 50U);
}

TEST_F(proxy_test, notices_of_peers_are_not_forwarded) {
  dealer_socket left{executor()};
  dealer_socket right{executor()};
  dealer_socket front{executor(), announcing()};
  dealer_socket back{executor(), announcing()};
  proxy p{front, back};
  run(p);
  join(static_cast<socket&>(front), left);
  join(static_cast<socket&>(back), right);
  put(left, {"there"});
  EXPECT_EQ(take(right), message{"there"});
  put(right, {"and", "back"});
  EXPECT_EQ(take(left), (message{"and", "back"}));
  left.close();
  run_to_a_standstill(front.counters().messages_received);
  EXPECT_EQ(p.statistics().frontend.messages_received, 1U);
  EXPECT_EQ(p.statistics().backend.messages_sent, 1U);
  EXPECT_EQ(p.statistics().dropped, 0U);
}

TEST_F(proxy_test, forwards_messages_that_it_subscribed_to) {
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
  // Publishes until the subscriptions have arrived.
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
TEST_F(proxy_test, subscriptions_go_upstream_and_messages_downstream) {
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
  // The topics of a subscriber that disconnects end upstream, too.
  subscriber.subscribe("c");
  run_until([&] { return publisher.subscribers("c") == 1; });
  subscriber.close();
  run_until([&] { return publisher.subscribers("c") == 0; });
}

TEST_F(proxy_test, connects_two_pairs) {
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

TEST_F(proxy_test, a_socket_proxied_with_itself_echoes) {
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

TEST_F(proxy_test, a_busy_direction_does_not_block_the_other) {
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
