#pragma once
// What is behind every wire socket: its links, listeners and dialers, the operations that wait, and
// the turn. Decisions are the socket_state's; here are I/O and waiters only.

#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/options.h"
#include "zmtp/routing/socket_state.h"
#include "zmtp/socket/monitor_event.h"
#include "zmtp/socket/peer_status.h"
#include "zmtp/socket/queue_share.h"
#include "zmtp/socket/serial_check.h"
#include "zmtp/socket/turn_tail.h"
#include "zmtp/socket/waiter.h"
#include "zmtp/socket/waiting_room.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/intrusive/list.hpp>
#include <boost/system/system_error.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace zmtp {

class dialer;
class entrance;
class monitor_queue;
class peer_link;
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
  [[nodiscard]] bool open() const noexcept { return phase_ == phase::open; }
  [[nodiscard]] bool finishing() const noexcept { return phase_ == phase::finishing; }
  [[nodiscard]] std::uint32_t random() noexcept { return static_cast<std::uint32_t>(random_()); }

  // For the socket classes.
  [[nodiscard]] result<endpoint> bind(std::string_view text);
  [[nodiscard]] error_code connect(std::string_view text);
  [[nodiscard]] error_code unbind(std::string_view text);
  [[nodiscard]] error_code disconnect(std::string_view text);
  void disconnect(peer_id peer);
  // The attached ones.
  [[nodiscard]] std::vector<peer_status> peers() const;
  [[nodiscard]] std::shared_ptr<monitor_queue> monitor(std::size_t capacity);
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
  void count_in_process(int change) noexcept {
    links_in_process_ += static_cast<std::size_t>(change);
  }
  [[nodiscard]] serial_check& serial() noexcept { return serial_; }

  // For links, listeners and dialers: runs `body` as a turn. What it makes readable or writable is
  // handed to waiters, what they send is written, in rounds, before this returns.
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
        end_turn();
      }
    }
    tail.run();
  }
  [[nodiscard]] bool in_turn() const noexcept { return turns_ != 0; }
  [[nodiscard]] std::uint64_t turn_number() const noexcept { return turn_number_; }
  void attach(peer_id id, const std::shared_ptr<peer_link>& to_peer);
  void detach(peer_id id) noexcept;
  void add(const std::shared_ptr<peer_link>& to_peer);
  void remove(const peer_link& to_peer) noexcept;
  [[nodiscard]] peer_link* link_of(peer_id id) const noexcept;
  // Tells the monitors; without one no event is made.
  template <class Make>
  void report(Make&& make) {
    if (!monitors_.empty()) {
      tell_monitors(make());
    }
  }
  // This endpoint is not connected to any more: reconnect_options say so. What was queued for it is
  // dropped with it.
  void give_up(const std::shared_ptr<dialer>& gone, error_code reason);
  // Memory is not so short any more.
  void on_memory();
  // Something that was waited for is over; a finishing socket may be done.
  void check_finished();
  // A peer went while this finishes, without having read to the end.
  void on_unread() noexcept { unread_ = true; }

private:
  enum class phase { open, finishing, closed };

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
  template <class Listener>
  [[nodiscard]] result<endpoint> enter_by(const endpoint& at);
  void enter(waiting_room::side where, waiter& w);
  void conclude(waiter& w, error_code ec);
  template <class Body>
  void act(Body&& body);
  void drop(const dialer& gone);
  [[nodiscard]] bool deserted() const noexcept;
  void begin_turn();
  void end_turn();
  void begin_flush();
  bool flush_first(std::size_t most);
  [[nodiscard]] bool resume_drained();
  void account();
  void tell_queued();
  void tell_peers();
  void post_turn();
  void keep_awake();
  void arm_linger(std::chrono::milliseconds linger);
  void arm_deadline();
  void on_deadline();
  void shut() noexcept;
  [[nodiscard]] bool unwritten() const noexcept;
  void tell_end() noexcept;
  void tell_monitors(monitor_event&& event);

  asio::any_io_executor executor_;
  std::unique_ptr<socket_state> state_;
  socket_service* service_;  // none once the context is going down
  phase phase_ = phase::open;
  int turns_ = 0;  // one within the other
  std::uint64_t turn_number_ = 0;
  clock::time_point turn_ended_;  // the last one
  bool one_of_several_ = false;   // the turn began at once when another had ended
  bool turn_posted_ = false;
  bool kept_awake_ = false;  // socket_options::spin
  bool used_ = false;        // an endpoint was bound or connected
  bool gave_up_ = false;     // an endpoint, and none was bound or connected since
  std::minstd_rand random_;
  serial_check serial_;
  queue_share queues_;
  std::uint64_t dropped_before_ = 0;        // with their peers, when the socket was closed
  bool unread_ = false;                     // by a peer that went meanwhile
  error_code end_;                          // what it came to
  std::shared_ptr<socket_core> lingering_;  // itself, while nothing else may keep it

  waiting_room waiting_;
  // None once the context is going down, so that the socket may outlive it.
  std::optional<asio::steady_timer> deadline_timer_;
  std::optional<clock::time_point> deadline_armed_;
  std::optional<asio::steady_timer> linger_timer_;

  std::vector<std::shared_ptr<entrance>> entrances_;
  std::vector<std::shared_ptr<dialer>> dialers_;
  std::unordered_map<const peer_link*, std::shared_ptr<peer_link>> links_;
  std::vector<peer_link*> by_slot_;
  std::size_t links_in_process_ = 0;
  std::vector<std::weak_ptr<monitor_queue>> monitors_;
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
