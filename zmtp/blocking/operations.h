#pragma once
// The steps of a blocking call: an immediate attempt in the caller's thread under the lock, and
// otherwise an operation in the context's thread, for which the caller sleeps.

#include "zmtp/blocking/locked_executor.h"
#include "zmtp/counters.h"
#include "zmtp/error.h"
#include "zmtp/message.h"
#include "zmtp/message_batch.h"
#include "zmtp/peer.h"
#include "zmtp/runtime/timer.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/post.hpp>

#include <condition_variable>
#include <cstddef>
#include <future>
#include <tuple>
#include <utility>

namespace zmtp::blocking {

// Runs `work` in the thread of a context and waits for it. Returns what `work` returns, and throws
// what it throws. Must not be called in the context's own thread, which would wait for itself.
template <class Work>
auto run_in(const boost::asio::any_io_executor& executor, Work&& work) {
  std::packaged_task<decltype(work())()> task{std::forward<Work>(work)};
  auto done = task.get_future();
  boost::asio::post(executor, [&task] { task(); });
  return done.get();
}

// A pending operation of a socket for which a thread sleeps. Must live until its handler has run,
// under the lock.
template <class... Results>
class call {
public:
  call() = default;
  call(const call&) = delete;
  call& operator=(const call&) = delete;

  // The handler for the operation. Call once.
  [[nodiscard]] auto handler() noexcept {
    return [this](error_code ec, Results... results) {
      ec_ = ec;
      results_ = std::tuple<Results...>{std::move(results)...};
      over_ = true;
      wake_.notify_one();
    };
  }
  // Sleeps until the handler has run. The thread must hold the lock exactly once.
  [[nodiscard]] error_code wait(monitor& lock) {
    lock.wait(wake_, [this] { return over_; });
    return ec_;
  }
  template <std::size_t I = 0>
  [[nodiscard]] auto& result() noexcept {
    return std::get<I>(results_);
  }

private:
  std::condition_variable wake_;
  bool over_ = false;
  error_code ec_;
  std::tuple<Results...> results_;
};

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

// The functions below require the lock. receive() replaces the content of its last argument.
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

template <class Async>
[[nodiscard]] error_code receive(Async& from, monitor& lock, deadline until, message_batch& batch) {
  if (from.try_receive(batch)) {
    return {};
  }
  call<std::size_t> wait;
  from.async_receive(batch, until, wait.handler());
  return wait.wait(lock);
}

// Leaves unsent messages in the batch. Adds to `count`.
template <class Async>
[[nodiscard]] error_code send_slowly(Async& to, monitor& lock, deadline until, message_batch& batch,
                                     std::size_t& count) {
  call<std::size_t> wait;
  if constexpr (requires { to.async_send(batch, until, wait.handler()); }) {
    to.async_send(batch, until, wait.handler());
  } else {
    to.async_send_enveloped(batch, until, wait.handler());
  }
  const auto ec = wait.wait(lock);
  count += wait.result();
  return ec;
}

// Moves from `m` only if it is queued. The operation gets the message in a batch, so that the
// message comes back after an error.
template <class Async>
[[nodiscard]] error_code send(Async& to, monitor& lock, deadline until, message& m) {
  const auto status = to.try_send(std::move(m));
  if (status != send_status::full) {
    return to_error(status);
  }
  message_batch one;
  one.append(std::move(m));
  std::size_t count = 0;
  const auto ec = send_slowly(to, lock, until, one, count);
  if (!one.empty()) {
    m = one.front().to_message();
  }
  return ec;
}

// Sends each message to its peer. Leaves unsent messages in the batch.
template <class Async>
[[nodiscard]] error_code send_to(Async& to, monitor& lock, deadline until, message_batch& batch,
                                 std::size_t& count) {
  const auto before = batch.size();
  const auto status = to.try_send_to(batch);
  count = before - batch.size();
  if (status == send_status::queued) {
    return {};
  }
  call<std::size_t> wait;
  to.async_send_to(batch, until, wait.handler());
  const auto ec = wait.wait(lock);
  count += wait.result();
  return ec;
}

template <class Async>
[[nodiscard]] error_code send(Async& to, monitor& lock, deadline until, peer_id peer, message& m) {
  const auto status = to.try_send(peer, std::move(m));
  if (status == send_status::queued || status == send_status::bad_message) {
    return to_error(status);
  }
  message_batch one;
  one.append_to(peer, std::move(m));
  std::size_t count = 0;
  const auto ec = send_to(to, lock, until, one, count);
  if (!one.empty()) {
    m = one.front().to_message();
  }
  return ec;
}

template <class Async>
[[nodiscard]] error_code send(Async& to, monitor& lock, deadline until, message_batch& batch,
                              std::size_t& count) {
  const auto before = batch.size();
  const auto status = to.try_send(batch);
  count = before - batch.size();
  return status == send_status::queued ? error_code{} : send_slowly(to, lock, until, batch, count);
}

}  // namespace zmtp::blocking
