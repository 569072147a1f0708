// Sockets whose mechanism changes the form of every frame, over loopback: messages, subscriptions and
// heartbeats come through, and a lost connection costs no message that is still in a queue.

#include "test/support/certificates.h"
#include "test/support/masked_framing.h"
#include "test/support/pattern_test.h"
#include "test/support/raw_peer.h"
#include "test/support/wire.h"
#include "zmtp/socket/pipeline_sockets.h"
#include "zmtp/socket/pubsub_sockets.h"
#include "zmtp/socket/request_sockets.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;

socket_options masking() {
  auto options = impatient();
  options.security = masked_security();
  return options;
}

// Sizes on both sides of each limit: a small message, a shared block, a block of its own.
message of_every_size(std::size_t n) {
  constexpr std::size_t sizes[] = {0, 1, 200, 255, 256, 8'000, 70'000, 300'000};
  return {std::to_string(n), std::string(sizes[n % std::size(sizes)], static_cast<char>(n)), ""};
}

class framed_sockets : public pattern_test {};

TEST_F(framed_sockets, messages_of_all_sizes_come_in_order) {
  for (const auto over : {medium::tcp, medium::ipc, medium::ws, medium::tls}) {
    push_socket push{executor(), with_tls(masking())};
    pull_socket pull{executor(), with_tls(masking())};
    join(pull, push, over);
    constexpr std::size_t count = 300;
    std::size_t sent = 0;
    for (std::size_t received = 0; received < count; ++received) {
      while (sent < count && push.try_send(of_every_size(sent)) == send_status::queued) {
        ++sent;
      }
      ASSERT_TRUE(take(pull) == of_every_size(received)) << received;
    }
    EXPECT_EQ(sent, count);
  }
}

TEST_F(framed_sockets, requests_and_replies_alternate) {
  req_socket req{executor(), masking()};
  rep_socket rep{executor(), masking()};
  join(rep, req);
  for (std::size_t n = 0; n < 50; ++n) {
    put(req, of_every_size(n));
    EXPECT_TRUE(take(rep) == of_every_size(n));
    put(rep, of_every_size(n + 1));
    EXPECT_TRUE(take(req) == of_every_size(n + 1));
  }
}

TEST_F(framed_sockets, subscriptions_pass_through_it) {
  xpub_socket publisher{executor(), masking()};
  sub_socket subscriber{executor(), masking()};
  join(publisher, subscriber);
  subscriber.subscribe("A");
  routed_message notice;
  run_until([&] { return publisher.try_receive(notice); });
  EXPECT_EQ(notice.content, message{"\1A"});
  EXPECT_EQ(publisher.try_send({"B", "not wanted"}), send_status::queued);
  EXPECT_EQ(publisher.try_send({"A", "wanted"}), send_status::queued);
  EXPECT_EQ(take(subscriber), (message{"A", "wanted"}));
  subscriber.unsubscribe("A");
  run_until([&] { return publisher.try_receive(notice); });
  EXPECT_EQ(notice.content.front(), std::string_view("\0A", 2));
}

TEST_F(framed_sockets, heartbeats_pass_through_it) {
  auto options = masking();
  options.heartbeat.interval = 2ms;
  options.heartbeat.timeout = 20s;
  pull_socket pull{executor(), options};
  raw_peer peer{context()};
  const auto at = pull.bind("tcp://127.0.0.1:*");
  peer.connect(at);
  peer.send(greeting_of(3, 1, "MASKED"));
  peer.send(ready_of("PUSH"));
  peer.start_reading();
  peer.send(masked(ping("context")));
  const auto comes = [&](const std::string& what) {
    return unmasked(peer.traffic()).find(what) != std::string::npos;
  };
  run_until([&] { return comes("PING"); });
  run_until([&] { return comes(pong("context")); });
}

TEST_F(framed_sockets, a_lost_connection_costs_no_message_that_waits) {
  dealer_socket dealer{executor(), masking()};
  router_socket router{executor(), masking()};
  const auto at = router.bind("tcp://127.0.0.1:*");
  dealer.connect(at.to_string());
  std::size_t next = 0;
  for (int round = 0; round < 20; ++round) {
    // The first message of a connection shows that it is there.
    put(dealer, of_every_size(next));
    routed_message got;
    run_until([&] { return router.try_receive(got); });
    ASSERT_TRUE(got.content == of_every_size(next)) << next;
    ++next;
    router.disconnect(got.peer);
    run_until([&] { return router.peers().empty() && dealer.peers().empty(); });
    for (std::size_t i = 0; i < 5; ++i) {
      put(dealer, of_every_size(next + i));
    }
    for (std::size_t i = 0; i < 5; ++i, ++next) {
      run_until([&] { return router.try_receive(got); });
      ASSERT_TRUE(got.content == of_every_size(next)) << next;
    }
  }
}

TEST_F(framed_sockets, a_late_reader_gets_the_last_message_whole) {
  auto options = masking();
  options.conflate = true;
  push_socket push{executor(), options};
  pull_socket pull{executor(), options};
  join(pull, push);
  constexpr std::size_t many = 2'000;
  for (std::size_t n = 0; n <= many; ++n) {
    put(push, of_every_size(n));
  }
  message last;
  while (last != of_every_size(many) && !HasFailure()) {
    last = take(pull);
    EXPECT_EQ(last.size(), 3U);
  }
}

TEST_F(framed_sockets, a_peer_without_the_mechanism_is_refused) {
  pull_socket pull{executor(), masking()};
  auto watched = pull.monitor();
  push_socket push{executor(), impatient()};
  join(pull, push);
  monitor_event event;
  while (event.what != monitor_event::kind::refused && !HasFailure()) {
    run_until([&] { return watched.try_receive(event); });
  }
  EXPECT_EQ(event.reason, errc::mechanism_mismatch);
  EXPECT_TRUE(pull.peers().empty());
}

}  // namespace
}  // namespace zmtp::test
