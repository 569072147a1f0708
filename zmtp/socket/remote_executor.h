#pragma once
// An executor to which any thread may post, until its owner closes it.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/post.hpp>

#include <mutex>
#include <utility>

namespace zmtp {

namespace asio = boost::asio;

// Shared by its owner and the posting threads. A posted function finds its object by a weak
// pointer, which it locks in the executor. So no other thread ever keeps the object alive.
//
// Thread safety: safe.
class remote_executor {
public:
  explicit remote_executor(asio::any_io_executor executor) noexcept
      : executor_{std::move(executor)} {}

  // Returns whether this is the same executor, and is not closed.
  [[nodiscard]] bool is(const asio::any_io_executor& executor) {
    const std::lock_guard lock{mutex_};
    return executor_ && executor_ == executor;
  }

  // Returns false after close(). Then `call` does not run.
  template <class Call>
  bool post(Call&& call) {
    const std::lock_guard lock{mutex_};
    if (!executor_) {
      return false;
    }
    asio::post(executor_, std::forward<Call>(call));
    return true;
  }

  // The owner must call this, in the executor or while its context is destroyed.
  void close() noexcept {
    const std::lock_guard lock{mutex_};
    executor_ = {};
  }

private:
  std::mutex mutex_;
  asio::any_io_executor executor_;
};

}  // namespace zmtp
