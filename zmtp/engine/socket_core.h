#pragma once
// The core of every socket: its parts and its life. socket_state and linger_state make the
// decisions.

#include "zmtp/engine/endpoints.h"
#include "zmtp/engine/linger_state.h"
#include "zmtp/engine/link_deadlines.h"
#include "zmtp/engine/links.h"
#include "zmtp/engine/memory_share.h"
#include "zmtp/engine/monitor_queue.h"
#include "zmtp/engine/pending_operations.h"
#include "zmtp/engine/turns.h"
#include "zmtp/error.h"
#include "zmtp/options.h"
#include "zmtp/routing/socket_state.h"
#include "zmtp/runtime/executor.h"
#include "zmtp/runtime/runtime.h"
#include "zmtp/runtime/timer.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/error.hpp>
#include <boost/intrusive/list.hpp>
#include <boost/system/system_error.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <type_traits>

namespace zmtp {

class context_service;

// The queues of connections that have no pipe. They stay empty.
struct no_queues {
  receive_queue in{{}};
  send_queue out{{}};
};

// Outlives the socket object until the queued messages are written or the linger time ends. Shared
// with the handlers of its links. Not thread-safe: everything runs in `executor`.
class socket_core final : public std::enable_shared_from_this<socket_core>,
                          public boost::intrusive::list_base_hook<> {
public:
  using clock = deadline::clock;

  [[nodiscard]] static std::shared_ptr<socket_core> make(asio::any_io_executor executor,
                                                         std::unique_ptr<socket_state> state);
  ~socket_core();

  [[nodiscard]] const asio::any_io_executor& executor() const noexcept { return executor_; }
  [[nodiscard]] socket_state& state() noexcept { return *state_; }
  [[nodiscard]] const socket_options& options() const noexcept { return state_->options(); }
  [[nodiscard]] zmtp::no_queues& no_queues() noexcept { return no_queues_; }
  [[nodiscard]] linger_state& ending() noexcept { return ending_; }
  [[nodiscard]] bool open() const noexcept { return ending_.open(); }
  [[nodiscard]] socket_endpoints& endpoints() noexcept { return endpoints_; }
  [[nodiscard]] zmtp::links& links() noexcept { return links_; }
  [[nodiscard]] monitor_list& monitors() noexcept { return monitors_; }
  [[nodiscard]] clock::time_point now() const noexcept { return runtime_->now(); }
  // Returns a number that must not be used for secrets.
  [[nodiscard]] std::uint32_t random() noexcept { return static_cast<std::uint32_t>(random_()); }
  // Draws bytes that may be used for secrets, as long as this object exists.
  [[nodiscard]] random_bytes secret_random() noexcept {
    return [this](std::span<std::byte> to) { runtime_->random(to); };
  }

  // For the socket classes.
  void disconnect(peer_id peer);
  // Completes pending operations with `reason`, and continues to write for the linger time. A
  // second call sets a new linger time from now.
  void close(error_code reason, std::optional<std::chrono::milliseconds> linger);
  // Like close(), and calls the handler at the end. No error if everything was written,
  // errc::timed_out if the linger time ended first, or connection_lost if a peer disconnected
  // before it had read everything.
  void start_close(std::optional<std::chrono::milliseconds> linger,
                   completion_handler<void(error_code)> handler);
  void start_close(deadline until, completion_handler<void(error_code)> handler);
  // Applies options that may change. Errors: errc::bad_option.
  [[nodiscard]] std::optional<option_fault> change_options(const socket_options& options);
  // Writes what the kernel takes. Returns whether no message is left.
  [[nodiscard]] bool all_written();
  // Call when the context is destroyed. Nothing may be posted or written any more.
  void abandon() noexcept;

  // Starts an operation. It is pending until its attempt succeeds, in the order of calls, or until
  // its deadline or cancellation. Never completes before this function returns. Handlers run in the
  // order in which operations end.
  template <class Attempt, class... Results>
  void start(pending_operations::side where,
             completion_handler<void(error_code, Results...)>&& handler, deadline until,
             Attempt attempt, std::optional<peer_id> to = {});
  // Returns whether an operation waits to send to this peer or without naming a peer. A new send
  // must not overtake it.
  [[nodiscard]] bool senders_wait(std::optional<peer_id> to = {}) const noexcept;

  // Call after the user has sent, received or resumed a peer. Inside a turn, the end of the turn
  // handles it. Otherwise a turn is posted.
  void schedule() { turns_.schedule(); }
  // Writes now, because a queue is full and the kernel may take bytes. A turn writes only once to
  // each peer. Returns false if a peer has more output, which must wait for another turn.
  bool flush() { return turns_.flush(state_->dirty().size()); }
  // Writes to a few peers. Messages to the other peers gather, and others on the executor can run.
  bool flush_some() { return turns_.flush(turn_policy::few_peers); }
  // Writes to one peer.
  bool flush(peer_id to) { return turns_.flush(to); }
  // Call in the middle of a batch. Passes messages to peers in other threads, so that they do not
  // wait for the rest of the batch.
  void hand_over() { turns_.hand_over(); }
  [[nodiscard]] serial_check& serial() noexcept { return turns_.serial(); }

  // For the parts of the socket: runs `body` as a turn. Before it returns, serves operations that
  // `body` makes ready and writes what they send, in rounds.
  template <class Body>
  void turn(Body&& body) {
    const auto self = shared_from_this();
    turns_.run(std::forward<Body>(body));
  }
  [[nodiscard]] bool in_turn() const noexcept { return turns_.running(); }
  [[nodiscard]] std::uint64_t turn_number() const noexcept { return turns_.number(); }
  // Runs an action of the user on connections. Operations that become ready are served in another
  // turn, so that user code is never called inside one of its own calls.
  template <class Body>
  void act(Body&& body) {
    {
      const turns::scope inside{turns_};
      std::forward<Body>(body)();
    }
    if (!in_turn()) {
      post_turn();
    }
  }
  // Posts a turn, so that others on the executor run first.
  void post_turn() { turns_.post(); }
  // Reports the memory of the queues if it has changed much. Also call inside a turn, because one
  // turn may queue many messages.
  void account() {
    if (queues_.due(state_->account().bytes())) {
      tell_queued();
    }
  }
  // Returns whether there is no peer to send to and none will connect.
  [[nodiscard]] bool deserted() const noexcept { return endpoints_.deserted() && links_.empty(); }
  // Sets the next deadline of a link, or none.
  void set_deadline(link_deadlines::entry& of, std::optional<clock::time_point> due) {
    if (of.due() != due) {
      link_deadlines_.set(of, due);
      if (link_deadlines_.first()) {
        link_alarm_.set(link_deadlines_.first());
      } else {
        link_alarm_.cancel();  // a wait keeps the context running
      }
    }
  }
  // Call when memory is available again.
  void on_memory();
  // Call when a part of the socket has ended. Ends a closed socket if it was the last part.
  void check_finished();

private:
  socket_core(asio::any_io_executor executor, std::unique_ptr<socket_state> state);
  void enter(pending_operations::side where, waiter& w);
  void conclude(waiter& w, error_code ec);
  void tell_queued();
  void on_deadline();
  void finish();
  void on_link_deadlines();
  void on_linger();
  void shut() noexcept;
  void tell_end() noexcept;

  asio::any_io_executor executor_;
  runtime* runtime_;  // the operating system's after the context is destroyed
  std::unique_ptr<socket_state> state_;
  zmtp::no_queues no_queues_;
  context_service* service_;  // null after the context is destroyed
  linger_state ending_;
  std::minstd_rand random_;
  memory_share queues_;
  turns turns_;
  std::shared_ptr<socket_core> lingering_;  // itself, while nothing else keeps it alive

  pending_operations waiting_;
  alarm waiting_alarm_;
  alarm linger_alarm_;
  link_deadlines link_deadlines_;
  alarm link_alarm_;

  socket_endpoints endpoints_;
  zmtp::links links_;
  monitor_list monitors_;
};

template <class Attempt, class... Results>
void socket_core::start(pending_operations::side where,
                        completion_handler<void(error_code, Results...)>&& handler, deadline until,
                        Attempt attempt, std::optional<peer_id> to) {
  using kind = result_waiter<Attempt, Results...>;
  waiting_.hold();
  auto* const w = static_cast<kind*>(kind::make(std::move(handler), executor_, std::move(attempt)));
  if (auto slot = w->slot(); slot.is_connected()) {
    slot.assign([core = weak_from_this(), w](asio::cancellation_type type) {
      // Waiting has no side effect, so every type of cancellation is allowed.
      if (const auto self = core.lock(); self && type != asio::cancellation_type::none) {
        self->conclude(*w, asio::error::operation_aborted);
      }
    });
  }
  w->due = until.at(*runtime_);
  w->to = to;
  enter(where, *w);
}

// Creates the core of a socket with the pattern `State`. Throws boost::system::system_error:
// errc::bad_option.
template <class State>
[[nodiscard]] std::shared_ptr<socket_core> make_core(asio::any_io_executor executor,
                                                     const socket_options& options) {
  if (const auto fault = find_fault(options, State::pattern)) {
    refuse(*fault, to_string(State::pattern));
  }
  if constexpr (std::is_constructible_v<State, const socket_options&, std::uint64_t>) {
    const auto seed = runtime::of(executor).random<std::uint64_t>();
    return socket_core::make(std::move(executor), std::make_unique<State>(options, seed));
  } else {
    return socket_core::make(std::move(executor), std::make_unique<State>(options));
  }
}

}  // namespace zmtp
