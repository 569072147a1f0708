// The budget of the queues of all sockets, on each transport: a peer that does not read takes only
// a part of it, and others continue. Even with a budget of zero, every socket makes progress.

#include "test/zmtp/socket/queue_budget_fixture.h"
#include "zmtp/socket/proxy.h"
#include "zmtp/socket/pubsub_sockets.h"
#include "zmtp/socket/request_sockets.h"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace zmtp::test {
namespace {

class on_each_medium : public a_queue_budget, public testing::WithParamInterface<medium> {};

TEST_P(on_each_medium, a_stalled_peer_takes_a_part_and_others_continue) {
  constexpr std::size_t size = 64 * kibi;
  push_socket to_stopped{executor(), unmarked()};
  pull_socket stopped{executor(), unmarked()};
  push_socket to_other{executor(), unmarked()};
  pull_socket other{executor(), unmarked()};
  join(stopped, to_stopped, GetParam());
  join(other, to_other, GetParam());
  const auto times = process_memory_use().times_scarce;
  const auto sent = fill(to_stopped, size);
  EXPECT_EQ(process_memory_use().times_scarce, times + 1);
  EXPECT_GE(used(), budget / 2);
  EXPECT_LE(used(), budget / 2 + mebi);
  for (std::size_t i = 0; i < 200; ++i) {
    put(to_other, numbered(i, size));
    EXPECT_EQ(number_of(take(other)), i);
  }
  // Sending continues when the peer reads.
  std::optional<error_code> end;
  to_stopped.async_send(numbered(sent, size), [&](error_code ec) { end = ec; });
  for (std::size_t i = 0; i <= sent; ++i) {
    EXPECT_EQ(number_of(take(stopped)), i);
  }
  EXPECT_EQ(end, error_code{});
  run_until([&] { return used() == 0; });
}

// Messages that are queued on both sides of ten connections.
TEST_P(on_each_medium, many_stalled_peers_leave_memory_for_others) {
  constexpr std::size_t size = 16 * kibi;
  constexpr std::size_t many = 10;
  struct pair {
    push_socket sender;
    pull_socket receiver;
  };
  std::vector<pair> pairs;
  std::vector<std::size_t> sent;
  for (std::size_t i = 0; i < many; ++i) {
    pairs.push_back({push_socket{executor(), unmarked()}, pull_socket{executor(), unmarked()}});
    join(pairs[i].receiver, pairs[i].sender, GetParam());
    sent.push_back(fill(pairs[i].sender, size));
    EXPECT_GT(sent[i], 0U);
  }
  EXPECT_LE(used(), budget);
  for (std::size_t i = 0; i < many; ++i) {
    for (std::size_t n = 0; n < sent[i]; ++n) {
      EXPECT_EQ(number_of(take(pairs[i].receiver)), n);
    }
  }
  run_until([&] { return used() == 0; });
}

TEST_P(on_each_medium, a_zero_budget_takes_one_message_after_the_other) {
  allow(0);
  push_socket push{executor(), unmarked()};
  pull_socket pull{executor(), unmarked()};
  join(pull, push, GetParam());
  message_batch batch;
  for (std::size_t i = 0; i < 300; ++i) {
    batch.append(numbered(i, i % 10 == 0 ? 100 * kibi : 10 * i));
  }
  std::optional<error_code> end;
  push.async_send(batch, [&](error_code ec, std::size_t) { end = ec; });
  for (std::size_t i = 0; i < 300; ++i) {
    EXPECT_EQ(number_of(take(pull)), i);
  }
  EXPECT_EQ(end, error_code{});
}

TEST_P(on_each_medium, a_zero_budget_answers_every_request) {
  allow(0);
  req_socket req{executor(), unmarked()};
  rep_socket rep{executor(), unmarked()};
  join(rep, req, GetParam());
  for (std::size_t i = 0; i < 50; ++i) {
    put(req, numbered(i, 50 * kibi));
    EXPECT_EQ(number_of(take(rep)), i);
    put(rep, numbered(i, 70 * kibi));
    EXPECT_EQ(number_of(take(req)), i);
  }
  EXPECT_EQ(rep.counters().dropped_over_budget, 0U);
}

// Each of them waits for the next, whose queues are empty.
TEST_P(on_each_medium, a_zero_budget_lets_a_chain_of_proxies_make_progress) {
  allow(0);
  push_socket source{executor(), unmarked()};
  pull_socket in_first{executor(), unmarked()};
  push_socket out_first{executor(), unmarked()};
  pull_socket in_second{executor(), unmarked()};
  push_socket out_second{executor(), unmarked()};
  pull_socket drain{executor(), unmarked()};
  join(in_first, source, GetParam());
  join(in_second, out_first, GetParam());
  join(drain, out_second, GetParam());
  proxy first{in_first, out_first};
  proxy second{in_second, out_second};
  first.async_run([](error_code) {});
  second.async_run([](error_code) {});
  message_batch batch;
  for (std::size_t i = 0; i < 200; ++i) {
    batch.append(numbered(i, 20 * kibi));
  }
  std::optional<error_code> end;
  source.async_send(batch, [&](error_code ec, std::size_t) { end = ec; });
  for (std::size_t i = 0; i < 200; ++i) {
    EXPECT_EQ(number_of(take(drain)), i);
  }
  EXPECT_EQ(end, error_code{});
}

TEST_P(on_each_medium, a_zero_budget_lets_requests_and_replies_through_a_proxy) {
  allow(0);
  auto waiting = unmarked();
  waiting.mandatory = true;
  router_socket frontend{executor(), waiting};
  dealer_socket backend{executor(), unmarked()};
  dealer_socket client{executor(), unmarked()};
  router_socket server{executor(), waiting};
  join(frontend, client, GetParam());
  join(server, backend, GetParam());
  proxy between{frontend, backend};
  between.async_run([](error_code) {});
  // As many requests at once as the queues can hold, in both directions.
  constexpr std::size_t count = 100;
  message_batch batch;
  for (std::size_t i = 0; i < count; ++i) {
    batch.append(numbered(i, 30 * kibi));
  }
  std::optional<error_code> end;
  client.async_send(batch, [&](error_code ec, std::size_t) { end = ec; });
  std::size_t answered = 0;
  run_until([&] {
    routed_message request;
    while (server.try_receive(request)) {
      server.async_send(request.peer, std::move(request.content), [](error_code) {});
    }
    for (message m; client.try_receive(m); ++answered) {
      EXPECT_EQ(number_of(m), answered);
    }
    return answered == count;
  });
  EXPECT_EQ(end, error_code{});
}

TEST_P(on_each_medium, a_publisher_drops_messages_over_a_peers_quota_and_reports_it) {
  pub_socket pub{executor(), unmarked()};
  sub_socket stopped{executor(), unmarked()};
  sub_socket other{executor(), unmarked()};
  stopped.subscribe("");
  other.subscribe("");
  join(pub, stopped, GetParam());
  other.connect(pub.bind(free_endpoint(GetParam())).to_string());
  run_until([&] { return pub.subscribers("") == 2; });
  std::size_t received = 0;
  std::size_t number = 0;
  message m;
  for (; pub.counters().dropped_over_budget < 100; ++number) {
    ASSERT_LT(number, 10'000U);
    ASSERT_EQ(pub.try_send(numbered(number, 16 * kibi)), send_status::queued);
    run_until([&] {
      for (; other.try_receive(m); ++received) {
        EXPECT_EQ(number_of(m), received);
      }
      return received > number;
    });
  }
  EXPECT_EQ(pub.counters().dropped_full, 0U);
  std::uint64_t of_peers = 0;
  for (const auto& peer : pub.peers()) {
    of_peers += peer.counters.dropped_over_budget;
  }
  EXPECT_EQ(of_peers, pub.counters().dropped_over_budget);
  EXPECT_LE(used(), budget);
  // The stopped subscriber loses none of its queued messages, and then gets new ones.
  const auto dropped = pub.counters().dropped_over_budget;
  const auto sent = number;
  std::size_t kept = 0;
  std::size_t next = 0;
  for (std::size_t newest = 0; newest < sent; ++number) {
    ASSERT_LT(number, sent + 100'000);
    ASSERT_EQ(pub.try_send(numbered(number, 10)), send_status::queued);
    run_ready();
    while (stopped.try_receive(m)) {
      newest = number_of(m);
      ASSERT_GE(newest, next);
      next = newest + 1;
      kept += newest < sent ? 1 : 0;
    }
  }
  EXPECT_EQ(kept, sent - dropped);
  EXPECT_GT(kept, 100U);
}

TEST_P(on_each_medium, a_destroyed_socket_releases_its_memory) {
  {
    push_socket push{executor(), unmarked()};
    pull_socket pull{executor(), unmarked()};
    join(pull, push, GetParam());
    fill(push, 64 * kibi);
    EXPECT_GE(used(), budget / 2);
  }
  run_until([&] { return used() == 0; });
}

INSTANTIATE_TEST_SUITE_P(budget, on_each_medium, testing::ValuesIn(media()),
                         [](const auto& medium_of) {
                           return testing::PrintToString(medium_of.param);
                         });

}  // namespace
}  // namespace zmtp::test
