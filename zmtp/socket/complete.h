#pragma once
// Calling a completion handler where it belongs.

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

// Calls user code. What it throws does not come back to the caller, who has more to do, but reaches who
// runs `executor`.
template <class Call>
void call_user(const boost::asio::any_io_executor& executor, Call&& call) {
  try {
    std::forward<Call>(call)();
  } catch (...) {
    boost::asio::post(executor,
                      [thrown = std::current_exception()] { std::rethrow_exception(thrown); });
  }
}

// The same of a handler, which may be absent.
template <class... Args>
void tell_user(const boost::asio::any_io_executor& executor,
               const std::function<void(Args...)>& handler, std::type_identity_t<Args>... args) {
  if (handler) {
    call_user(executor, [&] { handler(std::forward<Args>(args)...); });
  }
}

// Completion of a coroutine that is not waited for: what it throws reaches who runs the executor.
inline constexpr auto rethrow = [](const std::exception_ptr& thrown) {
  if (thrown) {
    std::rethrow_exception(thrown);
  }
};

// Work of the executor that a handler is called in, if that is another one than the socket's: it shall
// not run out of it before.
template <class Signature>
[[nodiscard]] boost::asio::any_io_executor work_elsewhere(
    const boost::asio::any_io_executor& executor, const completion_handler<Signature>& handler) {
  const auto& own = handler.executor();
  return own && own != executor
             ? boost::asio::prefer(own, boost::asio::execution::outstanding_work.tracked)
             : boost::asio::any_io_executor{};
}

// Calls the handler, as user code, in the executor that it is associated with, else in `executor`, where
// the caller must be: at once, if it can be.
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

// The same, but never before the caller has returned to the executor.
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
