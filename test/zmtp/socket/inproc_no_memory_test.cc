// While a socket takes messages of a peer in the same process, the n-th request for memory fails, for
// each n.

#include "test/support/failing_allocations.h"
#include "zmtp/socket/pipeline_sockets.h"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <new>
#include <string>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;

// A receiver of the process. Its queue of messages from one peer grows while it takes them.
class growing_queue {
public:
  static constexpr std::size_t count = 20;

  growing_queue() {
    to_.connect(from_.bind("inproc://growing queue").to_string());
    poll();
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(from_.try_send(message{std::to_string(i), std::string(5'000, 'x')}),
                send_status::queued);
    }
  }
  // Returns the first parts of all messages that the receiver gets now.
  std::vector<std::string> receive() {
    poll();
    std::vector<std::string> got;
    for (message m; to_.try_receive(m);) {
      got.emplace_back(m.front());
    }
    return got;
  }
  // Returns whether the receiver has ended a connection because there was no memory.
  [[nodiscard]] bool ended() const {
    return to_.counters().ended[static_cast<std::size_t>(errc::out_of_memory)] != 0;
  }
  // Returns the first parts of the messages that the receiver gets up to this one, which the sender
  // repeats until it arrives.
  std::vector<std::string> receive_until(const std::string& last) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{10};
    std::vector<std::string> got;
    while (std::find(got.begin(), got.end(), last) == got.end() &&
           std::chrono::steady_clock::now() < end) {
      (void)from_.try_send(message{last});
      const auto more = receive();
      got.insert(got.end(), more.begin(), more.end());
    }
    return got;
  }

private:
  static socket_options impatient() {
    socket_options options;
    options.reconnect = {.initial = 1ms, .maximum = 10ms, .refused_maximum = 10ms, .stable = 1ms};
    options.linger = 0ms;
    return options;
  }
  void poll() {
    for (bool again = true; again;) {
      try {
        const counting_allocations here;
        context_.restart();
        again = context_.poll() != 0;
      } catch (const std::bad_alloc&) {
      }
    }
  }

  asio::io_context context_{1};
  push_socket from_{context_.get_executor(), impatient()};
  pull_socket to_{context_.get_executor(), impatient()};
};

TEST(inproc_no_memory, leaves_no_message_unread) {
  std::size_t cut = 0;
  std::size_t n = 0;
  for (bool failed = true; failed && !testing::Test::HasFailure(); ++n) {
    SCOPED_TRACE("request " + std::to_string(n));
    growing_queue sockets;
    fail_allocations(n, 1);
    const auto got = sockets.receive();
    failed = stop_failing_allocations() != 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i], std::to_string(i));
    }
    if (!sockets.ended()) {
      continue;
    }
    cut += got.empty() ? 0U : 1U;
    const auto later = sockets.receive_until("later");
    ASSERT_FALSE(later.empty());
    EXPECT_EQ(later.front(), "later");
  }
  EXPECT_NE(cut, 0U) << "no connection ended while its messages were taken";
}

}  // namespace
}  // namespace zmtp::test
