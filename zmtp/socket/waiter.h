#pragma once
// Operations that wait in a socket: for a message, for room, for a peer.

#include "zmtp/error.h"
#include "zmtp/routing/peer_id.h"
#include "zmtp/socket/complete.h"
#include "zmtp/socket/completion_handler.h"
#include "zmtp/socket/deadline.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/intrusive/list.hpp>

#include <memory>
#include <optional>
#include <tuple>
#include <utility>

namespace zmtp {

namespace asio = boost::asio;

// One pending operation. Owned by the list it is in; completing or abandoning it ends its life.
class waiter : public boost::intrusive::list_base_hook<
                   boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
public:
  virtual ~waiter() = default;

  // Does what is waited for, if it can be done now; the result is kept for complete(). An error ends
  // the wait too.
  [[nodiscard]] virtual bool attempt(error_code& ec) = 0;
  // After a successful attempt: too late to be cancelled.
  virtual void settle() noexcept = 0;
  // Hands the result to the user's handler in the executor that it is associated with, and destroys
  // the waiter. Within a turn user code is resumed at once; later is after the caller is done.
  enum class when { now, later };
  virtual void complete(error_code ec, when w) = 0;
  // Destroys waiter and handler without calling it: the context is gone.
  virtual void abandon() noexcept = 0;

  std::optional<deadline::clock::time_point> due;
  std::optional<peer_id> to;  // the peer whose room is waited for
  error_code failure;         // what it ended with, once it has
};

using waiter_list = boost::intrusive::list<waiter, boost::intrusive::constant_time_size<false>>;

// `Attempt` is bool(error_code&, Results&...); results are default-made and moved to the handler. If it has
// a member finish(), that is called once before the handler, however the operation ends, but not if the
// operation is abandoned.
// Its memory comes from the handler's associated allocator.
template <class Attempt, class... Results>
class result_waiter final : public waiter {
public:
  using handler = completion_handler<void(error_code, Results...)>;

  static waiter* make(handler&& h, const asio::any_io_executor& executor, Attempt attempt) {
    auto allocator = allocator_for(h);
    auto* memory = std::allocator_traits<decltype(allocator)>::allocate(allocator, 1);
    return new (memory) result_waiter{std::move(h), executor, std::move(attempt)};
  }

  [[nodiscard]] bool attempt(error_code& ec) override {
    return std::apply([&](Results&... results) { return attempt_(ec, results...); }, results_);
  }

  void settle() noexcept override { slot().clear(); }

  void complete(error_code ec, when w) override {
    settle();
    if constexpr (requires { attempt_.finish(); }) {
      attempt_.finish();
    }
    auto h = std::move(handler_);
    auto results = std::move(results_);
    const auto executor = executor_;
    const auto work = std::move(work_);  // until the handler is on its way
    const auto elsewhere = std::move(work_elsewhere_);
    destroy(h);
    std::apply(
        [&](Results&... each) {
          if (w == when::now) {
            complete_now(executor, std::move(h), ec, std::move(each)...);
          } else {
            complete_later(executor, std::move(h), ec, std::move(each)...);
          }
        },
        results);
  }

  void abandon() noexcept override {
    settle();
    auto h = std::move(handler_);
    destroy(h);
  }

  [[nodiscard]] asio::cancellation_slot slot() const noexcept {
    return asio::get_associated_cancellation_slot(handler_.erased());
  }

private:
  result_waiter(handler&& h, const asio::any_io_executor& executor, Attempt attempt)
      : handler_{std::move(h)},
        executor_{executor},
        work_{asio::prefer(executor, asio::execution::outstanding_work.tracked)},
        work_elsewhere_{work_elsewhere(executor, handler_)},
        attempt_{std::move(attempt)} {}

  static auto allocator_for(const handler& h) {
    using allocator = asio::associated_allocator_t<typename handler::erased_handler>;
    return typename std::allocator_traits<allocator>::template rebind_alloc<result_waiter>{
        asio::get_associated_allocator(h.erased())};
  }
  void destroy(const handler& h) noexcept {
    auto allocator = allocator_for(h);
    this->~result_waiter();
    std::allocator_traits<decltype(allocator)>::deallocate(allocator, this, 1);
  }

  handler handler_;
  asio::any_io_executor executor_;
  // Neither the socket's executor nor the handler's may run out of work meanwhile.
  asio::any_io_executor work_;
  asio::any_io_executor work_elsewhere_;
  Attempt attempt_;
  std::tuple<Results...> results_;
};

}  // namespace zmtp
