// The layers over TCP run in a simulation: WebSocket and TLS.

#include "zmtp/simulation/world.h"
#include "zmtp/socket/pipeline_sockets.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace zmtp::simulation {
namespace {

using namespace std::chrono_literals;
using boost::asio::awaitable;
using boost::asio::use_awaitable;

constexpr std::size_t count_of_messages = 20;

struct outcome {
  std::vector<std::string> received;
  std::uint64_t trace = 0;
};

std::string content_of(std::size_t n) {
  return std::to_string(n) + std::string(n * 1'000, static_cast<char>('a' + n));
}

// Sends messages of up to 20 KB from one host to another.
outcome run(const std::string& scheme, std::uint64_t seed) {
  world w{seed, {.least_window = 512, .most_window = 32 * 1024, .cuts = true}};
  outcome result;
  auto& sender = w.add("sender");
  auto& receiver = w.add("receiver");
  sender.run([&scheme]() -> awaitable<void> {
    push_socket push{co_await asio::this_coro::executor};
    push.connect(scheme + "receiver:1");
    for (std::size_t n = 0; n < count_of_messages; ++n) {
      co_await push.async_send(message{content_of(n)}, use_awaitable);
    }
    co_await push.async_wait_peers(1'000, use_awaitable);  // until the process ends
  });
  receiver.run([&]() -> awaitable<void> {
    pull_socket pull{co_await asio::this_coro::executor};
    pull.bind(scheme + "*:1");
    for (;;) {
      const auto m = co_await pull.async_receive(use_awaitable);
      result.received.emplace_back(m.front());
    }
  });
  EXPECT_TRUE(w.run_until([&] { return result.received.size() == count_of_messages; }, 1min));
  result.trace = w.net().here().notes.hash();
  return result;
}

TEST(layers_in_a_simulation, carry_every_message) {
  const auto got = run("ws://", 1).received;
  ASSERT_EQ(got.size(), count_of_messages);
  for (std::size_t n = 0; n < count_of_messages; ++n) {
    EXPECT_TRUE(got[n] == content_of(n)) << n;
  }
}

TEST(layers_in_a_simulation, follow_from_the_seed) {
  EXPECT_EQ(run("ws://", 7).trace, run("ws://", 7).trace);
  EXPECT_NE(run("ws://", 7).trace, run("ws://", 8).trace);
}

}  // namespace
}  // namespace zmtp::simulation
