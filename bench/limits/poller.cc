#include "bench/limits/poller.h"

#include "bench/support/arguments.h"

#include <cerrno>

namespace bench::limits {

poller::poller() : epoll_{::epoll_create1(EPOLL_CLOEXEC)} {
  if (epoll_.number() < 0) {
    fail_errno("cannot make an epoll");
  }
}

void poller::add(const descriptor& what, std::uint64_t tag, interest events) {
  control(EPOLL_CTL_ADD, what, tag, events);
}

void poller::change(const descriptor& what, std::uint64_t tag, interest events) {
  control(EPOLL_CTL_MOD, what, tag, events);
}

void poller::control(int operation, const descriptor& what, std::uint64_t tag, interest events) {
  epoll_event event{};
  event.events = static_cast<std::uint32_t>(events);
  event.data.u64 = tag;
  if (::epoll_ctl(epoll_.number(), operation, what.number(), &event) != 0) {
    fail_errno("cannot watch a descriptor");
  }
}

std::span<const epoll_event> poller::wait(int milliseconds) {
  const int count =
      ::epoll_wait(epoll_.number(), ready_.data(), static_cast<int>(ready_.size()), milliseconds);
  if (count < 0 && errno != EINTR) {
    fail_errno("cannot wait for events");
  }
  return std::span{ready_}.first(count < 0 ? 0 : static_cast<std::size_t>(count));
}

}  // namespace bench::limits
