#pragma once
// An executor that others may post to from any thread, until its owner says that it goes.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/post.hpp>

#include <mutex>
#include <utility>

namespace zmtp {

namespace asio = boost::asio;

// Shared by its owner and those who post. What is posted finds its object by a weak pointer, which it
// locks in the executor: nobody else ever keeps the object alive.
//
// Thread safety: safe.
class remote_executor {
public:
  explicit remote_executor(asio::any_io_executor executor) noexcept
      : executor_{std::move(executor)} {}

  // Whether it is this one, and not closed.
  [[nodiscard]] bool is(const asio::any_io_executor& executor) {
    const std::lock_guard lock{mutex_};
    return executor_ && executor_ == executor;
  }

  // False once it is closed; then `call` will not be called.
  template <class Call>
  bool post(Call&& call) {
    const std::lock_guard lock{mutex_};
    if (!executor_) {
      return false;
    }
    asio::post(executor_, std::forward<Call>(call));
    return true;
  }

  // By its owner, in the executor or while its context is going down.
  void close() noexcept {
    const std::lock_guard lock{mutex_};
    executor_ = {};
  }

private:
  std::mutex mutex_;
  asio::any_io_executor executor_;
};

}  // namespace zmtp
