// While peers connect, the n-th request of the library for memory fails, for each n. Listeners and connecting
// sockets stay usable, and the next peer can connect. The same holds while a peer waits for room.

#include "test/support/failing_allocations.h"
#include "test/support/meeting.h"
#include "zmtp/authenticator.h"
#include "zmtp/socket/monitor.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;

// Accepts every peer, in a handler of its own.
class slow_to_accept final : public authenticator {
public:
  explicit slow_to_accept(asio::io_context& context) : context_{context} {}

  void authenticate(const peer_info&, const credentials&, handler done) override {
    asio::post(context_, [done = std::move(done)]() mutable { std::move(done)(principal{}); });
  }

private:
  asio::io_context& context_;
};

class meeting_place {
public:
  // Each side asks an authenticator about the other.
  void authenticate() {
    auto options = impatient();
    options.authenticator = std::make_shared<slow_to_accept>(context_);
    // An answer that is lost costs the connection.
    options.limit.handshake_time = 50ms;
    for (socket* s : {static_cast<socket*>(&router_), static_cast<socket*>(&first_),
                      static_cast<socket*>(&second_)}) {
      s->set_options(options);
    }
  }
  void begin(medium over) {
    at_ = router_.bind(free_endpoint(over)).to_string();
    first_.connect(at_);
  }
  // Runs until the sockets are connected, despite failures.
  void meet() {
    run_until([&] { return first_.peers().size() == 1 && router_.peers().size() == 1; });
  }
  // Expects that the connected peer and a new one are served.
  void expect_usable() {
    second_.connect(at_);
    exchange_with(first_);
    exchange_with(second_);
    monitor_event event;
    while (watched_.try_receive(event)) {
      missed_ += event.missed;
    }
  }
  [[nodiscard]] std::uint64_t missed() const noexcept { return missed_; }

private:
  static constexpr std::chrono::seconds timeout{10};

  static socket_options impatient() {
    socket_options options;
    options.reconnect = {.initial = 1ms, .maximum = 10ms, .refused_maximum = 10ms, .stable = 1ms};
    options.linger = 0ms;
    // A lost connection that kept its slot would leave none.
    options.pending_handshakes = 1;
    return options;
  }

  // The context throws the exception of a handler. The user runs the context again.
  template <class Done>
  void run_until(Done&& done) {
    const auto end = std::chrono::steady_clock::now() + timeout;
    context_.restart();
    while (!done()) {
      try {
        const counting_allocations here;
        if (context_.run_one_until(end) == 0) {
          break;
        }
      } catch (const std::bad_alloc&) {
      }
    }
    EXPECT_TRUE(done()) << (context_.stopped() ? "nothing is left to run" : "time has run out");
  }

  static std::uint64_t lost(const dealer_socket& by) {
    const auto& ended = by.counters().ended;
    return std::accumulate(ended.begin(), ended.end(), std::uint64_t{0});
  }

  // Asks again where a connection was lost meanwhile.
  void exchange_with(dealer_socket& by) {
    const auto text = std::to_string(++number_);
    std::optional<std::uint64_t> lost_before;
    bool answered = false;
    run_until([&] {
      if (!by.peers().empty() && lost_before != lost(by)) {
        EXPECT_EQ(by.try_send(message{text}), send_status::queued);
        lost_before = lost(by);
      }
      for (routed_message m; router_.try_receive(m);) {
        (void)router_.try_send(m.peer, std::move(m.content));
      }
      for (message m; by.try_receive(m);) {
        answered = answered || m.front() == text;
      }
      return answered;
    });
  }

  asio::io_context context_{1};
  router_socket router_{context_.get_executor(), impatient()};
  dealer_socket first_{context_.get_executor(), impatient()};
  dealer_socket second_{context_.get_executor(), impatient()};
  monitor watched_ = router_.monitor();
  std::string at_;
  int number_ = 0;
  std::uint64_t missed_ = 0;
};

class allocation_failure : public testing::TestWithParam<std::tuple<medium, std::size_t>> {};

TEST_P(allocation_failure, leaves_each_socket_usable_while_peers_connect) {
  const auto [over, count] = GetParam();
  std::uint64_t missed = 0;
  std::size_t n = 0;
  for (bool failed = true; failed && !HasFailure(); ++n) {
    SCOPED_TRACE("request " + std::to_string(n));
    meeting_place sockets;
    sockets.begin(over);
    fail_allocations(n, count);
    sockets.meet();
    failed = stop_failing_allocations() != 0;
    sockets.expect_usable();
    missed += sockets.missed();
  }
  EXPECT_GT(n, 10U) << "too few requests to have been those of a connection";
  EXPECT_GT(missed, 0U) << "a monitor says what it could not keep";
}

TEST(allocation_failure_of_authentication, leaves_each_socket_usable) {
  std::size_t n = 0;
  for (bool failed = true; failed && !testing::Test::HasFailure(); ++n) {
    SCOPED_TRACE("request " + std::to_string(n));
    meeting_place sockets;
    sockets.authenticate();
    sockets.begin(medium::tcp);
    fail_allocations(n, 1);
    sockets.meet();
    failed = stop_failing_allocations() != 0;
    sockets.expect_usable();
  }
  EXPECT_GT(n, 20U) << "too few requests to have been those of an authentication";
}

INSTANTIATE_TEST_SUITE_P(over, allocation_failure,
                         testing::Values(std::tuple{medium::tcp, std::size_t{1}},
                                         std::tuple{medium::tcp, std::size_t{3}},
                                         std::tuple{medium::ipc, std::size_t{1}},
                                         std::tuple{medium::ipc, std::size_t{3}},
                                         std::tuple{medium::inproc, std::size_t{1}}),
                         [](const auto& p) {
                           std::ostringstream name;
                           name << std::get<0>(p.param) << "_" << std::get<1>(p.param) << "_fail";
                           return name.str();
                         });

// A sender of the process that waits for room, and its receiver.
class full_pipe {
public:
  full_pipe() {
    from_.connect(to_.bind("inproc://full pipe").to_string());
    run();
    while (from_.try_send(message{"fills the pipe"}) == send_status::queued) {
      run();
    }
    from_.async_send(message{"waits"}, [this](error_code ec) { sent_ = !ec; });
    run();
  }
  [[nodiscard]] bool sent() const noexcept { return sent_; }
  // Receives messages while the sender has its turns, until `done`. Returns false on a timeout.
  template <class Done>
  bool receive_until(Done&& done) {
    const auto end = std::chrono::steady_clock::now() + timeout;
    while (!done() && std::chrono::steady_clock::now() < end) {
      receive();
      try {
        const counting_allocations here;
        run();
      } catch (const std::bad_alloc&) {
      }
    }
    return done();
  }
  // Nothing is left to do but what timers wait for.
  void drain() {
    (void)receive_until([this] { return !std::exchange(busy_, false); });
  }
  bool probe() {
    return receive_until([this] {
      (void)from_.try_send(message{"probe"});
      return probed_;
    });
  }

private:
  static constexpr std::chrono::seconds timeout{10};

  static socket_options few() {
    socket_options options;
    options.reconnect = {.initial = 1ms, .maximum = 10ms, .refused_maximum = 10ms, .stable = 1ms};
    options.send_mark.messages = 2;
    options.receive_mark.messages = 2;
    options.linger = 0ms;
    return options;
  }
  void receive() {
    for (routed_message m; to_.try_receive(m);) {
      busy_ = true;
      probed_ = probed_ || m.content.front() == "probe";
    }
  }
  void run() {
    for (std::size_t count = 1; count != 0;) {
      context_.restart();
      count = context_.poll();
      busy_ = busy_ || count != 0;
    }
  }

  asio::io_context context_{1};
  router_socket to_{context_.get_executor(), few()};
  dealer_socket from_{context_.get_executor(), few()};
  bool busy_ = true;
  bool sent_ = false;
  bool probed_ = false;
};

TEST(allocation_failure_in_process, leaves_no_sender_waiting_forever) {
  std::size_t n = 0;
  for (bool failed = true; failed && !testing::Test::HasFailure(); ++n) {
    SCOPED_TRACE("request " + std::to_string(n));
    full_pipe sockets;
    ASSERT_FALSE(sockets.sent());
    fail_allocations(n, 1);
    sockets.drain();
    failed = stop_failing_allocations() != 0;
    EXPECT_TRUE(sockets.receive_until([&] { return sockets.sent(); }));
    EXPECT_TRUE(sockets.probe());
  }
  EXPECT_GT(n, 2U) << "too few requests to have been those of a pipe";
}

}  // namespace
}  // namespace zmtp::test
