#pragma once
// epoll: which of many descriptors can be read or written now.

#include "bench/limits/tcp.h"

#include <array>
#include <cstdint>
#include <span>
#include <sys/epoll.h>

namespace bench::limits {

enum class interest : std::uint32_t {
  read = EPOLLIN,
  write = EPOLLOUT,
  read_and_write = EPOLLIN | EPOLLOUT,
};

class poller {
public:
  poller();

  // The events of the descriptor carry the tag. A closed descriptor is removed by itself.
  void add(const descriptor& what, std::uint64_t tag, interest events = interest::read);
  void change(const descriptor& what, std::uint64_t tag, interest events);

  // Waits for events. Returns none after a timeout or a signal; -1 waits forever.
  std::span<const epoll_event> wait(int milliseconds = -1);

private:
  void control(int operation, const descriptor& what, std::uint64_t tag, interest events);

  descriptor epoll_;
  std::array<epoll_event, 256> ready_{};
};

}  // namespace bench::limits
