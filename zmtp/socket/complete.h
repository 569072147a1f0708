#pragma once
// Calling a completion handler where it belongs.

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>

#include <exception>
#include <tuple>
#include <type_traits>
#include <utility>

namespace zmtp {

// Calls the handler in the executor that it is associated with, else in `executor`: at once, if the
// caller is in it. What the handler throws never comes back here, it reaches who runs the executor.
// `handler` is moved from once; in Boost 1.81 it must not be assigned.
template <class... Args>
void complete_now(const boost::asio::any_io_executor& executor,
                  boost::asio::any_completion_handler<void(Args...)>&& handler,
                  std::type_identity_t<Args>... args) {
  auto own = boost::asio::get_associated_executor(handler, executor);
  try {
    boost::asio::dispatch(
        own, [h = std::move(handler), bound = std::tuple<Args...>{std::move(args)...}]() mutable {
          std::apply([&](Args&... each) { std::move(h)(std::move(each)...); }, bound);
        });
  } catch (...) {
    // An io_context keeps it until the caller has returned, a strand lets it through.
    boost::asio::post(executor,
                      [thrown = std::current_exception()] { std::rethrow_exception(thrown); });
  }
}

// The same, but never before the caller has returned to the executor.
template <class... Args>
void complete_later(const boost::asio::any_io_executor& executor,
                    boost::asio::any_completion_handler<void(Args...)>&& handler,
                    std::type_identity_t<Args>... args) {
  // A handler's type-erased executor cannot be asked not to run it at once; ours can.
  boost::asio::post(executor, [executor, h = std::move(handler),
                               bound = std::tuple<Args...>{std::move(args)...}]() mutable {
    std::apply([&](Args&... each) { complete_now(executor, std::move(h), std::move(each)...); },
               bound);
  });
}

}  // namespace zmtp
