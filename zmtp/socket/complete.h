#pragma once
// Calls completion handlers in the right executor.

#include "zmtp/socket/completion_handler.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>

#include <exception>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace zmtp {

// Calls user code. Posts an exception that it throws to `executor`, so that the exception
// propagates out of `io_context::run()` and the caller can continue.
template <class Call>
void call_user(const boost::asio::any_io_executor& executor, Call&& call) {
  try {
    std::forward<Call>(call)();
  } catch (...) {
    boost::asio::post(executor,
                      [thrown = std::current_exception()] { std::rethrow_exception(thrown); });
  }
}

// Like call_user(), for a handler that may be empty.
template <class... Args>
void tell_user(const boost::asio::any_io_executor& executor,
               const std::function<void(Args...)>& handler, std::type_identity_t<Args>... args) {
  if (handler) {
    call_user(executor, [&] { handler(std::forward<Args>(args)...); });
  }
}

// Completion of a detached coroutine. An exception of the coroutine propagates out of
// `io_context::run()`.
inline constexpr auto rethrow = [](const std::exception_ptr& thrown) {
  if (thrown) {
    std::rethrow_exception(thrown);
  }
};

// Returns outstanding work for the handler's executor if that is not the socket's, so that its
// context does not stop before the handler runs. Otherwise returns an empty executor.
template <class Signature>
[[nodiscard]] boost::asio::any_io_executor work_elsewhere(
    const boost::asio::any_io_executor& executor, const completion_handler<Signature>& handler) {
  const auto& own = handler.executor();
  return own && own != executor
             ? boost::asio::prefer(own, boost::asio::execution::outstanding_work.tracked)
             : boost::asio::any_io_executor{};
}

// Calls the handler in its associated executor, or in `executor` if it has none. The caller must be
// in `executor`. Calls the handler directly if that is allowed.
template <class... Args>
void complete_now(const boost::asio::any_io_executor& executor,
                  completion_handler<void(Args...)>&& handler, std::type_identity_t<Args>... args) {
  call_user(executor, [&] {
    const auto own = handler.executor();
    if (!own || own == executor) {
      handler(std::move(args)...);
    } else {
      boost::asio::dispatch(
          own, [h = std::move(handler), bound = std::tuple<Args...>{std::move(args)...}]() mutable {
            std::apply([&](Args&... each) { h(std::move(each)...); }, bound);
          });
    }
  });
}

// Like complete_now(), but never before the caller has returned to the executor.
template <class... Args>
void complete_later(const boost::asio::any_io_executor& executor,
                    completion_handler<void(Args...)>&& handler,
                    std::type_identity_t<Args>... args) {
  auto work = work_elsewhere(executor, handler);
  boost::asio::post(executor, [executor, work = std::move(work), h = std::move(handler),
                               bound = std::tuple<Args...>{std::move(args)...}]() mutable {
    std::apply([&](Args&... each) { complete_now(executor, std::move(h), std::move(each)...); },
               bound);
  });
}

}  // namespace zmtp
