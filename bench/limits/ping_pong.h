#pragma once
// One end of a ping-pong: a socket that does not block, with Nagle's algorithm off, and an epoll.

#include "bench/limits/poller.h"

#include <cstddef>
#include <span>

namespace bench::limits {

class ping_pong {
public:
  explicit ping_pong(descriptor socket);

  // Waits in the epoll until all bytes are there.
  void receive(std::span<std::byte> message);
  // Waits only when the system takes no more.
  void send(std::span<const std::byte> message);

private:
  descriptor socket_;
  poller poller_;
};

}  // namespace bench::limits
