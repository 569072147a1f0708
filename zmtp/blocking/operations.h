#pragma once
// The steps of a blocking call under the lock: an immediate attempt in the caller's thread, and
// otherwise an operation in the context's thread, for which the caller sleeps.

#include "zmtp/blocking/call.h"
#include "zmtp/blocking/monitor.h"
#include "zmtp/error.h"
#include "zmtp/message.h"
#include "zmtp/routing/peer_id.h"
#include "zmtp/routing/routed_message.h"
#include "zmtp/routing/socket_state.h"
#include "zmtp/socket/deadline.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace zmtp::blocking {

// Maximum batch of one call. More would delay other threads that need the lock.
inline constexpr std::size_t most_at_once = 1024;

template <class Async, class Received>
concept receives = requires(Async& s, Received& to) {
  s.try_receive(to);
};

template <class Async>
concept sends = requires(Async& s, message m) {
  s.try_send(std::move(m));
};

template <class Async>
concept subscribes = requires(Async& s, error_code& ec) {
  s.subscribe({}, ec);
  s.unsubscribe({});
};

template <class Async, class Received>
[[nodiscard]] error_code receive(Async& from, monitor& lock, deadline until, Received& to) {
  if (from.try_receive(to)) {
    return {};
  }
  call<Received> wait;
  from.async_receive(until, wait.handler());
  const auto ec = wait.wait(lock);
  to = std::move(wait.result());
  return ec;
}

template <class Async, class Received>
[[nodiscard]] error_code receive(Async& from, monitor& lock, deadline until,
                                 std::vector<Received>& batch) {
  std::size_t count = 0;
  for (; count != most_at_once; ++count) {
    if (count == batch.size()) {
      batch.emplace_back();
    }
    if (!from.try_receive(batch[count])) {
      break;
    }
  }
  batch.resize(count);
  if (count != 0) {
    return {};
  }
  call<std::size_t> wait;
  from.async_receive(batch, until, wait.handler());
  return wait.wait(lock);
}

// Sends from the front of `batch`, and leaves unsent messages in it. Adds to `count`.
template <class Async, class Item>
[[nodiscard]] error_code send_slowly(Async& to, monitor& lock, deadline until,
                                     std::vector<Item>& batch, std::size_t& count) {
  call<std::size_t> wait;
  to.async_send(batch, until, wait.handler());
  const auto ec = wait.wait(lock);
  count += wait.result();
  return ec;
}

// Moves from `m` only if it is queued. If the immediate attempt fails, the asynchronous operation
// returns the error.
template <class Async>
[[nodiscard]] error_code send(Async& to, monitor& lock, deadline until, message& m) {
  if (to.try_send(std::move(m)) == send_status::queued) {
    return {};
  }
  std::vector<message> one;
  one.push_back(std::move(m));
  std::size_t count = 0;
  const auto ec = send_slowly(to, lock, until, one, count);
  if (!one.empty()) {
    m = std::move(one.front());
  }
  return ec;
}

template <class Async>
[[nodiscard]] error_code send(Async& to, monitor& lock, deadline until, peer_id peer, message& m) {
  if (to.try_send(peer, std::move(m)) == send_status::queued) {
    return {};
  }
  std::vector<routed_message> one(1);
  one.front().peer = peer;
  one.front().content = std::move(m);
  std::size_t count = 0;
  const auto ec = send_slowly(to, lock, until, one, count);
  if (!one.empty()) {
    m = std::move(one.front().content);
  }
  return ec;
}

template <class Async>
[[nodiscard]] error_code send(Async& to, monitor& lock, deadline until, std::vector<message>& batch,
                              std::size_t& count) {
  while (count != batch.size() && to.try_send(std::move(batch[count])) == send_status::queued) {
    ++count;
  }
  batch.erase(batch.begin(), batch.begin() + static_cast<std::ptrdiff_t>(count));
  return batch.empty() ? error_code{} : send_slowly(to, lock, until, batch, count);
}

}  // namespace zmtp::blocking
