#pragma once
// One connection of a ZMTP 3.1 DEALER with NULL to a ROUTER, as little as it needs: greeting,
// READY, one message at a time and its echo; a PING is answered.

#include "bench/limits/tcp.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace bench::limits {

class idle_peer {
public:
  explicit idle_peer(descriptor socket) : socket_{std::move(socket)} {}

  const descriptor& socket() const { return socket_; }

  // The connection stands: says the greeting.
  void start();
  // Reads what is there. True when the echo that was missing came. Ends the program when the
  // other side does not speak ZMTP, or closes while something is missing.
  bool on_readable();
  // Sends one message. Its echo is missing then. Ends the program when the other side has closed.
  void send_message();

private:
  enum class phase {
    greeting,   // the other side's is not complete
    handshake,  // its READY is missing
    echo,       // of the last message is missing
    idle,       // nothing is missing
  };

  bool take_greeting();
  bool take_frame();
  void on_command(std::string_view body);
  void on_message(std::string_view body);
  void write(std::string_view octets);

  descriptor socket_;
  phase phase_ = phase::greeting;
  std::string unread_{};
};

}  // namespace bench::limits
