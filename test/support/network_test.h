#pragma once
// Base of tests with real sockets: one context, which runs in the thread of the test until the
// awaited event.

#include "test/support/meeting.h"
#include "zmtp/message.h"
#include "zmtp/message_batch.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp::test {

// A thousand of them are more than both kernels' buffers hold.
[[nodiscard]] inline std::string large_text(std::size_t number) {
  return std::to_string(number) + std::string(40'000, 'x');
}

class network_test : public testing::Test {
public:
  // The limit of a whole wait. No test comes near it unless something is wrong.
  static constexpr std::chrono::seconds timeout{20};

  [[nodiscard]] asio::io_context& context() { return *context_; }
  [[nodiscard]] asio::any_io_executor executor() { return context_->get_executor(); }

  // Runs one handler after the other until `done()`; then nothing that comes after has run. The test
  // fails if time or work runs out before.
  template <class Done>
  void run_until(Done&& done) {
    const auto end = std::chrono::steady_clock::now() + timeout;
    context_->restart();
    while (!done()) {
      if (context_->run_one_until(end) == 0) {
        ADD_FAILURE() << (context_->stopped() ? "nothing is left to run" : "time has run out");
        return;
      }
    }
  }
  // Runs until nothing is pending any more.
  void run_to_the_end() {
    context_->restart();
    context_->run_for(timeout);
    EXPECT_TRUE(context_->stopped()) << "something is still pending";
  }
  // Runs what can be run without waiting.
  void run_ready() {
    context_->restart();
    context_->poll();
  }
  // The context goes with all that is pending in it.
  void destroy_context() {
    reserved_.reset();
    context_.reset();
  }

  // The next message, attach or detach.
  [[nodiscard]] routed_message receive(router_socket& from) {
    routed_message item;
    run_until([&] { return from.try_receive(item); });
    return item;
  }
  [[nodiscard]] message receive(dealer_socket& from) {
    message m;
    run_until([&] { return from.try_receive(m); });
    return m;
  }
  // Connects to a port of the system's choice. Returns the id of the peer at a router that
  // announces peers.
  [[nodiscard]] peer_id join(dealer_socket& dealer, router_socket& router) {
    dealer.connect(router.bind("tcp://127.0.0.1:*").to_string());
    const auto item = receive(router);
    EXPECT_EQ(item.what, routed_message::kind::attached);
    return item.peer;
  }

  // Returns an endpoint at which only the test can listen, until the next call of reserve().
  [[nodiscard]] std::string reserve(medium over = medium::tcp) {
    return reserved_.emplace(context(), over).to_string();
  }

private:
  std::optional<asio::io_context> context_{std::in_place, 1};
  std::optional<reserved_endpoint> reserved_;
};

[[nodiscard]] inline message_batch batch_of(const std::vector<message>& all) {
  message_batch batch;
  for (const auto& m : all) {
    batch.append(m);
  }
  return batch;
}
[[nodiscard]] inline std::vector<message> messages_of(const message_batch& batch) {
  std::vector<message> all;
  for (const auto m : batch) {
    all.push_back(m.to_message());
  }
  return all;
}

// Options with one thing changed.
[[nodiscard]] inline socket_options announcing() {
  socket_options options;
  options.announce_peers = true;
  return options;
}

[[nodiscard]] inline socket_options with_send_mark(std::size_t messages) {
  socket_options options;
  options.send_mark.messages = messages;
  return options;
}

}  // namespace zmtp::test
