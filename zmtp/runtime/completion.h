#pragma once
// The handler of a pending operation, and its call in the right executor.

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>

#include <concepts>
#include <exception>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace zmtp {

template <class Signature>
class completion_handler;

// Any handler, with its associated executor beside it. The type-erased handler of Boost 1.81
// allocates memory whenever its executor is requested. In Boost 1.81 it must not be assigned
// either, so this object is constructed once and moved out of once.
template <class... Args>
class completion_handler<void(Args...)> {
public:
  using erased_handler = boost::asio::any_completion_handler<void(Args...)>;

  template <class Handler>
  requires(!std::same_as<std::remove_cvref_t<Handler>, completion_handler>)
      completion_handler(Handler&& handler)  // NOLINT: implicit, a handler should convert
      : executor_{executor_of(handler)}, handler_{callable(std::forward<Handler>(handler))} {}
  completion_handler(completion_handler&&) noexcept = default;
  completion_handler& operator=(completion_handler&&) = delete;

  // The handler's own executor. If empty, use the socket's.
  [[nodiscard]] const boost::asio::any_io_executor& executor() const noexcept { return executor_; }
  // For its associated allocator and cancellation slot.
  [[nodiscard]] const erased_handler& erased() const noexcept { return handler_; }

  // Calls the handler and consumes it.
  template <class... Actual>
  void operator()(Actual&&... args) {
    std::move(handler_)(std::forward<Actual>(args)...);
  }

private:
  // The executor of a type-erased handler supports only dispatch.
  template <class Handler>
  static constexpr bool known = std::convertible_to<
      boost::asio::associated_executor_t<std::decay_t<Handler>, boost::asio::any_io_executor>,
      boost::asio::any_io_executor>;

  template <class Handler>
  static boost::asio::any_io_executor executor_of(const Handler& handler) {
    if constexpr (known<Handler>) {
      return boost::asio::get_associated_executor(handler, boost::asio::any_io_executor{});
    } else {
      return {};
    }
  }

  template <class Handler>
  static decltype(auto) callable(Handler&& handler) {
    if constexpr (known<Handler>) {
      return std::forward<Handler>(handler);
    } else {
      const auto slot = boost::asio::get_associated_cancellation_slot(handler);
      auto work = boost::asio::prefer(boost::asio::get_associated_executor(handler),
                                      boost::asio::execution::outstanding_work.tracked);
      return boost::asio::bind_cancellation_slot(
          slot, [work = std::move(work), h = std::forward<Handler>(handler)](Args... args) mutable {
            boost::asio::dispatch(
                work,
                [h = std::move(h), bound = std::tuple<Args...>{std::move(args)...}]() mutable {
                  std::apply([&](Args&... each) { std::move(h)(std::move(each)...); }, bound);
                });
          });
    }
  }

  boost::asio::any_io_executor executor_;
  erased_handler handler_;
};

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
