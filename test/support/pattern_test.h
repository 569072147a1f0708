#pragma once
// Base of tests with sockets of any two types that suit each other.

#include "test/support/meeting.h"
#include "test/support/network_test.h"
#include "zmtp/message.h"
#include "zmtp/socket/socket.h"

#include <optional>

namespace zmtp::test {

class pattern_test : public network_test {
public:
  static void join(socket& binds, socket& connects, medium over = medium::tcp) {
    connects.connect(binds.bind(free_endpoint(over)).to_string());
  }
  static void join(const meeting& how, socket& sender, socket& receiver) {
    how.binds == side::sender ? join(sender, receiver, how.over) : join(receiver, sender, how.over);
  }

  // The next message.
  template <class Socket>
  [[nodiscard]] message take(Socket& from) {
    message m;
    run_until([&] { return from.try_receive(m); });
    return m;
  }
  // Waits for a peer with a free queue.
  template <class Socket>
  void put(Socket& to, message m) {
    std::optional<error_code> end;
    to.async_send(std::move(m), [&](error_code ec) { end = ec; });
    run_until([&] { return end.has_value(); });
    EXPECT_FALSE(end.value_or(errc::timed_out));
  }
  // Until something can be sent: a peer is there.
  template <class Socket>
  void wait_for_peer(Socket& of) {
    std::optional<error_code> end;
    of.async_wait_writable([&](error_code ec) { end = ec; });
    run_until([&] { return end.has_value(); });
  }
  // Runs one handler after the other until nothing is ready for a whole round of them.
  template <class Count>
  void run_to_a_standstill(const Count& moved) {
    for (auto before = moved + 1; before != moved;) {
      before = moved;
      for (int i = 0; i < 100; ++i) {
        run_ready();
      }
    }
  }
};

// Reconnects as soon as it can.
[[nodiscard]] inline socket_options impatient() {
  using namespace std::chrono_literals;
  socket_options options;
  options.reconnect = {.initial = 1ms, .maximum = 5ms, .refused_maximum = 5ms, .stable = 1ms};
  return options;
}

[[nodiscard]] inline socket_options with_marks(std::size_t messages) {
  socket_options options;
  options.send_mark.messages = messages;
  options.receive_mark.messages = messages;
  return options;
}

}  // namespace zmtp::test
