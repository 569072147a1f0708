// Waiting without receiving or sending: until a message can be received or sent; also messages sent
// all at once.

#include "test/support/network_test.h"
#include "test/support/raw_peer.h"

#include <optional>
#include <string>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;

using readiness = network_test;

TEST_F(readiness, readable_completes_and_takes_no_message) {
  router_socket router{executor()};
  dealer_socket dealer{executor()};
  std::optional<error_code> readable;
  router.async_wait_readable([&](error_code ec) { readable = ec; });
  dealer.connect(router.bind("tcp://127.0.0.1:*").to_string());
  EXPECT_EQ(dealer.try_send(message{"hello"}), send_status::queued);
  run_until([&] { return readable.has_value(); });
  EXPECT_EQ(*readable, error_code{});
  routed_message question;
  ASSERT_TRUE(router.try_receive(question));
  EXPECT_EQ(question.content, message{"hello"});
  EXPECT_EQ(router.try_send(question.peer, message{"answer"}), send_status::queued);
  readable.reset();
  dealer.async_wait_readable([&](error_code ec) { readable = ec; });
  run_until([&] { return readable.has_value(); });
  message answer;
  EXPECT_TRUE(dealer.try_receive(answer));
}

TEST_F(readiness, writable_completes_when_there_is_a_peer_to_send_to) {
  dealer_socket dealer{executor()};
  std::optional<error_code> writable;
  dealer.async_wait_writable([&](error_code ec) { writable = ec; });
  run_ready();
  EXPECT_FALSE(writable);
  router_socket router{executor()};
  dealer.connect(router.bind("tcp://127.0.0.1:*").to_string());
  run_until([&] { return writable.has_value(); });
  EXPECT_EQ(*writable, error_code{});
  EXPECT_EQ(dealer.try_send(message{"now"}), send_status::queued);
}

TEST_F(readiness, waits_end_at_their_deadline) {
  dealer_socket dealer{executor()};
  std::vector<error_code> ends;
  const auto note = [&](error_code ec) { ends.push_back(ec); };
  dealer.async_wait_readable(1ms, note);
  dealer.async_wait_writable(1ms, note);
  run_until([&] { return ends.size() == 2; });
  EXPECT_EQ(ends, std::vector<error_code>(2, errc::timed_out));
}

// Far more than the mark: the kernel takes messages, so the queue gets space for the rest.
TEST_F(readiness, a_router_drops_nothing_while_the_kernel_has_room) {
  constexpr std::size_t count = 5'000;
  router_socket router{executor(), announcing()};
  dealer_socket dealer{executor()};
  const auto peer = join(dealer, router);
  for (std::size_t i = 0; i < count; ++i) {
    router.async_send(peer, message{std::to_string(i)}, [](error_code) {});
  }
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(receive(dealer), message{std::to_string(i)});
  }
  EXPECT_EQ(router.counters().dropped_full, 0U);
}

TEST_F(readiness, a_batch_goes_to_the_peer_of_each_message) {
  auto options = announcing();
  options.mandatory = true;
  router_socket router{executor(), options};
  dealer_socket a{executor()};
  dealer_socket b{executor()};
  const auto to_a = join(a, router);
  const auto to_b = join(b, router);
  message_batch batch;
  for (int i = 0; i < 3; ++i) {
    batch.append_to(to_a, "a" + std::to_string(i));
    batch.append_to(to_b, "b" + std::to_string(i));
  }
  batch.append_to({99, 99}, "nobody");
  std::optional<error_code> end;
  std::size_t sent = 0;
  router.async_send_to(batch, [&](error_code ec, std::size_t count) {
    end = ec;
    sent = count;
  });
  run_until([&] { return end.has_value(); });
  EXPECT_EQ(*end, errc::host_unreachable);
  EXPECT_EQ(sent, 6U);
  ASSERT_EQ(batch.size(), 1U);
  EXPECT_EQ(batch.front().to_message(), message{"nobody"});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(receive(a), message{"a" + std::to_string(i)});
    EXPECT_EQ(receive(b), message{"b" + std::to_string(i)});
  }
}

TEST_F(readiness, the_reasons_of_disconnects_are_counted) {
  router_socket router{executor()};
  raw_peer peer{context()};
  peer.connect(router.bind("tcp://127.0.0.1:*"));
  peer.send("GET / HTTP/1.1\r\n\r\n");
  peer.start_reading();
  run_until([&] { return peer.ended(); });
  EXPECT_EQ(router.counters().ended[static_cast<std::size_t>(errc::not_zmtp)], 1U);
}

}  // namespace
}  // namespace zmtp::test
