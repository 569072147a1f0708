#pragma once
// What is behind every wire socket: its parts, the operations that wait, and the turn. Decisions are the
// socket_state's and closing's; here are I/O and waiters only.

#include "zmtp/error.h"
#include "zmtp/options.h"
#include "zmtp/routing/closing.h"
#include "zmtp/routing/socket_state.h"
#include "zmtp/socket/deadline_timer.h"
#include "zmtp/socket/link_table.h"
#include "zmtp/socket/monitor_list.h"
#include "zmtp/socket/queue_share.h"
#include "zmtp/socket/serial_check.h"
#include "zmtp/socket/socket_endpoints.h"
#include "zmtp/socket/turn_tail.h"
#include "zmtp/socket/waiter.h"
#include "zmtp/socket/waiting_room.h"

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

class socket_service;

// Outlives the socket object until what is queued is written or the linger time is over; shared by
// the handlers of its links. Not thread-safe: everything happens in `executor`.
class socket_core final : public std::enable_shared_from_this<socket_core>,
                          public boost::intrusive::list_base_hook<> {
public:
  using clock = deadline::clock;

  [[nodiscard]] static std::shared_ptr<socket_core> make(asio::any_io_executor executor,
                                                         std::unique_ptr<socket_state> state);
  ~socket_core();
  // What nobody outside the process can guess.
  [[nodiscard]] static std::uint64_t random_seed();

  [[nodiscard]] const asio::any_io_executor& executor() const noexcept { return executor_; }
  [[nodiscard]] socket_state& state() noexcept { return *state_; }
  [[nodiscard]] const socket_options& options() const noexcept { return state_->options(); }
  [[nodiscard]] closing& ending() noexcept { return ending_; }
  [[nodiscard]] bool open() const noexcept { return ending_.open(); }
  [[nodiscard]] socket_endpoints& endpoints() noexcept { return endpoints_; }
  [[nodiscard]] link_table& links() noexcept { return links_; }
  [[nodiscard]] monitor_list& monitors() noexcept { return monitors_; }
  [[nodiscard]] std::uint32_t random() noexcept { return static_cast<std::uint32_t>(random_()); }

  // For the socket classes.
  void disconnect(peer_id peer);
  // Completes what waits with `reason` and goes on writing for the linger time; once more: for this
  // linger time from now.
  void close(error_code reason, std::optional<std::chrono::milliseconds> linger);
  // The same, and tells the handler when all is over: nothing if everything was written,
  // errc::timed_out if the linger time was over before, connection_lost if a peer went with its queue.
  void start_close(std::optional<std::chrono::milliseconds> linger,
                   completion_handler<void(error_code)> handler);
  // From now on, as far as they can change. Errors: errc::bad_option.
  [[nodiscard]] error_code change_options(const socket_options& options);
  // Everything that was queued is written. Writes what the kernel takes.
  [[nodiscard]] bool all_written();
  // The context is going down: nothing may be posted or written any more.
  void abandon() noexcept;

  // Starts an operation: it waits until its attempt succeeds, in the order of calls, or until its
  // deadline, or until it is cancelled. Never completes before this returns; completes in the order
  // of the ends.
  template <class Attempt, class... Results>
  void start(waiting_room::side where, completion_handler<void(error_code, Results...)> handler,
             deadline until, Attempt attempt, std::optional<peer_id> to = {});
  // Whether somebody waits to send (to this peer, or to whatever peer): then nobody may overtake.
  [[nodiscard]] bool senders_wait(std::optional<peer_id> to = {}) const noexcept;

  // The user has sent or received, or allowed a peer to: in a turn its end acts on it; outside one
  // turn is posted.
  void schedule();
  // Writes at once: a queue is full and perhaps the kernel has room. Within a turn each peer is written
  // to once; false if one has more, which is for another turn.
  bool flush();
  // The same for a few of them: whose messages are not written yet gather, and others on the executor
  // have their turn.
  bool flush_some();
  // The same for one.
  bool flush(peer_id to);
  // In the middle of a batch: peers in other threads get what there is for them so far, and need not
  // wait for the rest.
  void hand_over();
  [[nodiscard]] serial_check& serial() noexcept { return serial_; }

  // For its parts: runs `body` as a turn. What it makes readable or writable is handed to waiters, what
  // they send is written, in rounds, before this returns.
  template <class Body>
  void turn(Body&& body) {
    const auto self = shared_from_this();
    turn_tail::scope tail;
    {
      const serial_check::scope alone{serial_};
      {
        const turn_scope scope{turns_};
        if (turns_ == 1) {
          begin_turn();
        }
        body();
      }
      if (turns_ == 0) {
        end_turn_or_again();
      }
    }
    tail.run();
  }
  [[nodiscard]] bool in_turn() const noexcept { return turns_ != 0; }
  [[nodiscard]] std::uint64_t turn_number() const noexcept { return turn_number_; }
  // What the user does to connections. What that makes ready for who waits is for a turn of its own:
  // user code is never called within a call of its own.
  template <class Body>
  void act(Body&& body) {
    const serial_check::scope alone{serial_};
    {
      const turn_scope scope{turns_};
      body();
    }
    if (!in_turn()) {
      post_turn();
    }
  }
  // A turn, as soon as others on the executor have had theirs.
  void post_turn();
  // Memory is not so short any more.
  void on_memory();
  // Something that was waited for is over; a finishing socket may be done.
  void check_finished();

private:
  class turn_scope {
  public:
    explicit turn_scope(int& depth) noexcept : depth_{depth} { ++depth_; }
    turn_scope(const turn_scope&) = delete;
    turn_scope& operator=(const turn_scope&) = delete;
    ~turn_scope() { --depth_; }

  private:
    int& depth_;
  };

  socket_core(asio::any_io_executor executor, std::unique_ptr<socket_state> state);
  void enter(waiting_room::side where, waiter& w);
  void conclude(waiter& w, error_code ec);
  void begin_turn();
  void end_turn();
  void end_turn_or_again();
  void begin_flush();
  bool flush_first(std::size_t most);
  void account();
  void tell_queued();
  void keep_awake();
  [[nodiscard]] bool deserted() const noexcept;
  void on_deadline();
  void finish();
  void on_linger();
  void shut() noexcept;
  void tell_end() noexcept;

  asio::any_io_executor executor_;
  std::unique_ptr<socket_state> state_;
  socket_service* service_;  // none once the context is going down
  closing ending_;
  int turns_ = 0;  // one within the other
  std::uint64_t turn_number_ = 0;
  clock::time_point turn_ended_;  // the last one
  bool one_of_several_ = false;   // the turn began at once when another had ended
  bool turn_posted_ = false;
  bool kept_awake_ = false;  // socket_options::spin
  std::minstd_rand random_;
  serial_check serial_;
  queue_share queues_;
  std::shared_ptr<socket_core> lingering_;  // itself, while nothing else may keep it

  waiting_room waiting_;
  deadline_timer waiting_timer_;
  deadline_timer linger_timer_;

  socket_endpoints endpoints_;
  link_table links_;
  monitor_list monitors_;
};

template <class Attempt, class... Results>
void socket_core::start(waiting_room::side where,
                        completion_handler<void(error_code, Results...)> handler, deadline until,
                        Attempt attempt, std::optional<peer_id> to) {
  using kind = result_waiter<Attempt, Results...>;
  auto* const w = static_cast<kind*>(kind::make(std::move(handler), executor_, std::move(attempt)));
  if (auto slot = w->slot(); slot.is_connected()) {
    slot.assign([core = weak_from_this(), w](asio::cancellation_type type) {
      // Waiting has no side effect, so that every type of cancellation is honoured.
      if (const auto self = core.lock(); self && type != asio::cancellation_type::none) {
        self->conclude(*w, asio::error::operation_aborted);
      }
    });
  }
  w->due = until.at();
  w->to = to;
  enter(where, *w);
}

// The core of a socket whose pattern is `State`. Throws boost::system::system_error with
// errc::bad_option.
template <class State>
[[nodiscard]] std::shared_ptr<socket_core> make_core(asio::any_io_executor executor,
                                                     const socket_options& options) {
  if (const auto ec = validate(options, State::pattern)) {
    throw boost::system::system_error{ec};
  }
  if constexpr (std::is_constructible_v<State, const socket_options&, std::uint64_t>) {
    return socket_core::make(std::move(executor),
                             std::make_unique<State>(options, socket_core::random_seed()));
  } else {
    return socket_core::make(std::move(executor), std::make_unique<State>(options));
  }
}

}  // namespace zmtp
