#include "bench/limits/ping_pong.h"

#include "bench/support/arguments.h"

namespace bench::limits {

ping_pong::ping_pong(descriptor socket) : socket_{std::move(socket)} {
  set_no_delay(socket_);
  set_nonblocking(socket_);
  poller_.add(socket_, 0);
}

void ping_pong::receive(std::span<std::byte> message) {
  while (!message.empty()) {
    poller_.wait();
    if (const auto length = read_some(socket_, message)) {
      if (*length == 0) {
        fail("the other end closed too early: give both programs the same arguments");
      }
      message = message.subspan(*length);
    }
  }
}

void ping_pong::send(std::span<const std::byte> message) {
  message = message.subspan(write_some(socket_, message));
  if (message.empty()) [[likely]] {
    return;
  }
  poller_.change(socket_, 0, interest::write);
  while (!message.empty()) {
    poller_.wait();
    message = message.subspan(write_some(socket_, message));
  }
  poller_.change(socket_, 0, interest::read);
}

}  // namespace bench::limits
