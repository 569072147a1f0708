#pragma once
// The handler of a pending operation, and the executor in which to call it.

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/prefer.hpp>

#include <concepts>
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

}  // namespace zmtp
