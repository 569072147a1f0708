#pragma once
// One connection of a minimal ZMTP 3.1 DEALER with NULL to a ROUTER: greeting, READY, one message at a
// time and its echo. A PING gets its PONG.

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

  // Sends the greeting. To be called when the connection is established.
  void start();
  // Reads pending bytes. Returns true if the expected echo arrived. Ends the program if the other side does not
  // speak ZMTP, or closes before it has sent everything.
  bool on_readable();
  // Sends one message. Its echo is missing then. Ends the program when the other side has closed.
  void send_message();

private:
  enum class phase {
    greeting,   // the other side's greeting is not complete
    handshake,  // the other side's READY is missing
    echo,       // the echo of the last message is missing
    idle,       // nothing is missing
  };

  bool take_greeting();
  bool take_frame();
  void on_command(std::string_view body);
  void on_message(std::string_view body);
  void write(std::string_view bytes);

  descriptor socket_;
  phase phase_ = phase::greeting;
  std::string unread_{};
};

}  // namespace bench::limits
