// Two sockets whose mechanism changes the form of every frame, with a connection that is cut at any
// byte: nothing is lost but what the kernel had, nothing comes twice, and every message is whole.
// The sender connects, because a socket that accepts loses its queue with the connection.
//   --every N    offsets that are N apart (53)

#include "test/support/masked_framing.h"
#include "test/support/wire.h"
#include "zmtp/simulation/world.h"
#include "zmtp/socket/pipeline_sockets.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp::simulation {
namespace {

using namespace std::chrono_literals;
using boost::asio::awaitable;
using boost::asio::use_awaitable;
using test::parts;

std::size_t every = 53;

constexpr std::size_t count_of_messages = 12;

parts content_of(std::size_t n) {
  constexpr std::size_t sizes[] = {0, 3, 300, 9'000};
  return {std::to_string(n), std::string(sizes[n % std::size(sizes)], static_cast<char>('a' + n)),
          ""};
}

socket_options masking() {
  socket_options options;
  options.security = test::masked_security();
  return options;
}

enum class cut_kind { taken, arrived };

struct outcome {
  std::vector<std::size_t> received;
  std::size_t taken = 0;  // bytes from the sender on its first connection
  bool cut = false;
  bool ended = false;
};

// Cuts the first connection after `bytes` bytes of one end. With 0 bytes nothing is cut.
outcome run(end_of_stream from, cut_kind kind, std::size_t bytes) {
  world w{bytes + 1};
  std::shared_ptr<virtual_connection> first;
  w.net().on_stream([&](virtual_connection& s) {
    if (first == nullptr) {
      first = s.shared_from_this();
      if (bytes != 0) {
        kind == cut_kind::taken ? s.cut_when_taken(from, bytes) : s.cut_when_arrived(from, bytes);
      }
    }
  });
  outcome result;
  auto& sender = w.add("sender");
  auto& receiver = w.add("receiver");
  sender.run([]() -> awaitable<void> {
    push_socket push{co_await asio::this_coro::executor, masking()};
    push.connect("tcp://receiver:1");
    for (std::size_t n = 0; n < count_of_messages; ++n) {
      message m;
      for (const auto& part : content_of(n)) {
        m.push_back(part);
      }
      co_await push.async_send(std::move(m), use_awaitable);
    }
    co_await push.async_wait_peers(1'000, use_awaitable);  // until the process ends
  });
  receiver.run([&result]() -> awaitable<void> {
    pull_socket pull{co_await asio::this_coro::executor, masking()};
    pull.bind("tcp://*:1");
    for (;;) {
      const auto m = co_await pull.async_receive(use_awaitable);
      const auto n = std::stoul(std::string{m.front()});
      const auto expected = content_of(n);
      EXPECT_EQ(m.size(), expected.size());
      for (std::size_t i = 0; i < m.size() && i < expected.size(); ++i) {
        EXPECT_TRUE(m[i] == expected[i]) << "part " << i << " of message " << n;
      }
      result.received.push_back(n);
    }
  });
  result.ended = w.run_until(
      [&] { return !result.received.empty() && result.received.back() == count_of_messages - 1; },
      5min);
  if (first != nullptr) {
    result.taken = first->taken(end_of_stream::connecting);
    result.cut = first->is_cut();
  }
  return result;
}

// Returns the messages that are missing. They must be in ascending order and none twice.
std::vector<std::size_t> missing_in(const std::vector<std::size_t>& received) {
  std::vector<std::size_t> missing;
  std::size_t next = 0;
  for (const auto n : received) {
    EXPECT_GE(n, next) << "again, or out of order";
    for (; next < n; ++next) {
      missing.push_back(next);
    }
    next = n + 1;
  }
  return missing;
}

std::size_t wire_size(std::size_t n) { return test::masked(test::framed(content_of(n))).size(); }

TEST(framing_in_a_simulation, a_cut_loses_only_what_the_kernel_had) {
  const auto whole = run(end_of_stream::connecting, cut_kind::taken, 0);
  ASSERT_TRUE(whole.ended);
  ASSERT_EQ(whole.received.size(), count_of_messages);
  auto handshake = whole.taken;
  for (std::size_t n = 0; n < count_of_messages; ++n) {
    handshake -= wire_size(n);
  }
  std::size_t cuts = 0;
  for (const auto from : {end_of_stream::connecting, end_of_stream::accepting}) {
    for (const auto kind : {cut_kind::taken, cut_kind::arrived}) {
      for (std::size_t at = 1; at <= whole.taken; at += every) {
        const auto result = run(from, kind, at);
        if (!result.cut) {
          EXPECT_EQ(from, end_of_stream::accepting);
          break;  // that end sends fewer bytes
        }
        ++cuts;
        auto end = handshake;
        std::size_t next = 0;
        for (const auto n : missing_in(result.received)) {
          for (; next <= n; ++next) {
            end += wire_size(next);
          }
          EXPECT_LE(end, result.taken) << "message " << n << " was lost, but not by the kernel";
        }
        EXPECT_TRUE(result.ended || result.taken == whole.taken) << "the last one is missing";
        ASSERT_FALSE(HasFailure()) << "cut at " << at;
      }
    }
  }
  EXPECT_GT(cuts, 100U);
}

}  // namespace
}  // namespace zmtp::simulation

int main(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  for (int i = 1; i + 1 < count; ++i) {
    if (std::string_view{arguments[i]} == "--every") {
      zmtp::simulation::every = std::stoul(arguments[i + 1]);
    }
  }
  return RUN_ALL_TESTS();
}
