#pragma once
// Results that connections wait for.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <utility>

namespace zinc::http {

// Ends a coroutine that waits for a result when the server stops.
struct stopped {};

template <class Result>
class pending : public std::enable_shared_from_this<pending<Result>> {
public:
  using take_result = std::function<void(Result)>;

  explicit pending(boost::asio::any_io_executor executor) : executor_{std::move(executor)} {}

  // Calls `start`, which calls its argument once, in the call or later. Throws `stopped`, or the
  // exception of `start`. A plain function, because GCC 12 has faults in the initiation of
  // operations inside coroutines.
  [[nodiscard]] boost::asio::awaitable<Result> next(std::function<void(take_result)> start) {
    namespace asio = boost::asio;
    return asio::async_initiate<const asio::use_awaitable_t<>, void(std::exception_ptr, Result)>(
        [this, start = std::move(start)](auto handler) {
          const auto shared = std::make_shared<decltype(handler)>(std::move(handler));
          const auto added = std::make_shared<finisher>(
              [executor = executor_, shared](const std::exception_ptr& failure, Result now) {
                asio::post(executor, [shared, failure, now = std::move(now)]() mutable {
                  std::move (*shared)(failure, std::move(now));
                });
              });
          all_.push_back(added);
          try {
            start([results = this->weak_from_this(), added](Result now) {
              if (const auto self = results.lock()) {
                self->finish(added, nullptr, std::move(now));
              }
            });
          } catch (...) {
            finish(added, std::current_exception(), {});
          }
        },
        asio::use_awaitable);
  }
  // Ends all waits.
  void stop() {
    while (!all_.empty()) {
      const auto first = all_.front();
      finish(first, std::make_exception_ptr(stopped{}), {});
    }
  }

private:
  using finisher = std::function<void(std::exception_ptr, Result)>;

  // Does nothing if the wait has ended already.
  void finish(const std::shared_ptr<finisher>& what, const std::exception_ptr& failure,
              Result&& now) {
    if (auto end = std::exchange(*what, nullptr)) {
      all_.remove(what);
      end(failure, std::move(now));
    }
  }

  boost::asio::any_io_executor executor_;
  std::list<std::shared_ptr<finisher>> all_;
};

}  // namespace zinc::http
