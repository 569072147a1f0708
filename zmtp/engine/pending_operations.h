#pragma once
// The pending operations of a socket, and the order in which they are served.

#include "zmtp/error.h"
#include "zmtp/peer.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/runtime/timer.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/intrusive/list.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

namespace zmtp {

namespace asio = boost::asio;

// One pending operation. The list that contains it owns it. complete() and abandon() destroy it.
class waiter : public boost::intrusive::list_base_hook<
                   boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
public:
  virtual ~waiter() = default;

  // Tries to perform the operation now, and stores the result for complete(). An error also ends
  // the operation.
  [[nodiscard]] virtual bool attempt(error_code& ec) = 0;
  // Call after a successful attempt. The operation can then no longer be cancelled.
  virtual void settle() noexcept = 0;
  // Calls the handler with the result in its associated executor, or in `executor` if it has none.
  // Destroys the waiter. `now` calls the handler directly, and is allowed only inside a turn.
  // `later` posts it.
  enum class when { now, later };
  virtual void complete(error_code ec, when w, const asio::any_io_executor& executor) = 0;
  // Call when the context is destroyed. Destroys waiter and handler without calling the handler.
  virtual void abandon() noexcept = 0;

  std::optional<deadline::clock::time_point> due;
  std::optional<peer_id> to;  // the peer to which it sends, if any
  error_code failure;         // its result, after conclude()
};

using waiter_list = boost::intrusive::list<waiter, boost::intrusive::constant_time_size<false>>;

// Outstanding work, so that the context of an executor does not stop while operations are pending.
// The executor must live as long.
class pending_work {
public:
  explicit pending_work(const asio::any_io_executor& of) noexcept : of_{of} {}
  [[nodiscard]] const asio::any_io_executor& executor() const noexcept { return of_; }
  void hold() {
    if (!held_) {
      held_ = asio::prefer(of_, asio::execution::outstanding_work.tracked);
    }
  }
  void release() noexcept { held_ = nullptr; }

private:
  const asio::any_io_executor& of_;
  asio::any_io_executor held_;
};

// `Attempt` is bool(error_code&, Results&...). The results are value-initialized and moved to the
// handler. The handler's associated allocator provides the memory.
template <class Attempt, class... Results>
class result_waiter final : public waiter {
public:
  using handler = completion_handler<void(error_code, Results...)>;

  // `executor` is that of complete().
  static waiter* make(handler&& h, const asio::any_io_executor& executor, Attempt attempt) {
    auto allocator = allocator_for(h);
    auto* memory = std::allocator_traits<decltype(allocator)>::allocate(allocator, 1);
    return new (memory) result_waiter{std::move(h), executor, std::move(attempt)};
  }

  [[nodiscard]] bool attempt(error_code& ec) override {
    return std::apply([&](Results&... results) { return attempt_(ec, results...); }, results_);
  }

  void settle() noexcept override { slot().clear(); }

  void complete(error_code ec, when w, const asio::any_io_executor& executor) override {
    settle();
    auto h = std::move(handler_);
    auto results = std::move(results_);
    const auto elsewhere =
        std::move(work_elsewhere_);  // until the handler has been called or posted
    destroy(h);
    std::apply(
        [&](Results&... each) {
          if (w == when::later) {
            complete_later(executor, std::move(h), ec, std::move(each)...);
          } else if (elsewhere) {
            complete_now(executor, std::move(h), ec, std::move(each)...);
          } else {
            call_user(executor, [&] { h(ec, std::move(each)...); });
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
  // Outstanding work, so that the handler's context does not stop while the operation is pending.
  asio::any_io_executor work_elsewhere_;
  Attempt attempt_;
  std::tuple<Results...> results_;
};

// The pending operations of a socket, and the concluded ones whose handlers have not run yet.
// Decides the order of service. Has no timers.
//
// Every operation ends in conclude(). Handlers run in the order of these calls. After conclude(), a
// cancellation or deadline has no effect. Receivers and senders are served in turn. Operations that
// wait for a condition are served when it is true, and those that wait for the end of the socket
// when it ends.
class pending_operations {
public:
  using time_point = deadline::clock::time_point;
  enum class side { to_receive, to_send, to_learn, to_end };

  // The executor must live as long.
  explicit pending_operations(const asio::any_io_executor& executor) noexcept : work_{executor} {}

  [[nodiscard]] bool receivers_wait() const noexcept { return !receivers_.empty(); }
  // Returns whether an operation waits to send to this peer or without naming a peer. Without an
  // argument, returns whether any operation waits to send.
  [[nodiscard]] bool senders_wait(std::optional<peer_id> to = {}) const noexcept;
  // Returns whether no other operation must be served before this one.
  [[nodiscard]] bool is_next(side where, const waiter& w) const noexcept;

  // Call before a waiter is made, because this may throw. rest() is the opposite.
  void hold() { work_.hold(); }
  void enter(side where, waiter& w) noexcept;
  void conclude(waiter& w, error_code ec) noexcept;
  // Attempts pending operations in the order of their calls.
  void attempt_all();
  // Calls the handlers of concluded operations. They may start or end other operations. Returns
  // whether there were any.
  bool tell_all();
  // Call at the end of a turn. If no operation is left, the context may stop.
  void rest() noexcept;

  [[nodiscard]] std::optional<time_point> first_deadline() const noexcept;
  void expire(time_point now) noexcept;
  // Concludes all operations that wait to send.
  void end_senders(error_code ec) noexcept;

  // Call when the socket is closed. Posts the handlers of concluded operations, and completes the
  // pending ones with `ec`, except those that wait for the end.
  void close(error_code ec);
  // Call when the socket ends. Completes the remaining operations with `ec`.
  void end(error_code ec);
  // Call when the context is destroyed. Does not call any handler.
  void abandon() noexcept;

private:
  [[nodiscard]] waiter_list& list_of(side where) noexcept;
  void attempt_senders();

  pending_work work_;
  waiter_list receivers_;
  waiter_list senders_;
  waiter_list learners_;
  waiter_list enders_;
  waiter_list concluded_;
  boost::unordered_flat_set<peer_id, std::hash<peer_id>>
      // peers with a full queue in one round of attempts; a member to reuse its memory
      without_room_;
};

}  // namespace zmtp
