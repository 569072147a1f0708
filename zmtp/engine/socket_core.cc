#include "zmtp/engine/socket_core.h"

#include "zmtp/engine/context_service.h"
#include "zmtp/engine/link.h"

#include <algorithm>
#include <new>
#include <utility>

namespace zmtp {

namespace {

// Rounds of one turn before others on the executor run.
constexpr int max_rounds = 16;
// Peers that one turn writes to before others on the executor run. While the user sends more, only
// a few, so that messages to the other peers gather and need fewer writes.
constexpr std::size_t max_flushes = 64;
constexpr std::size_t few_flushes = 8;
// A turn that begins this soon after another one follows at once: several connections were ready
// together. One write then sends all messages of these turns for one peer, in a turn that is posted
// after them.
constexpr std::chrono::microseconds together{3};

}  // namespace

std::shared_ptr<socket_core> socket_core::make(asio::any_io_executor executor,
                                               std::unique_ptr<socket_state> state) {
  std::shared_ptr<socket_core> core{new socket_core{std::move(executor), std::move(state)}};
  core->queues_.belongs_to(core);
  core->service_->enter(*core);
  return core;
}

socket_core::socket_core(asio::any_io_executor executor, std::unique_ptr<socket_state> state)
    : executor_{std::move(executor)},
      runtime_{&runtime::of(executor_)},
      state_{std::move(state)},
      service_{&context_service::of(executor_)},
      random_{runtime_->random<std::uint32_t>()},
      queues_{executor_},
      waiting_alarm_{executor_, [this] { on_deadline(); }},
      linger_alarm_{executor_, [this] { on_linger(); }},
      endpoints_{*this},
      links_{*state_},
      monitors_{*runtime_} {}

socket_core::~socket_core() {
  state_->for_each_pipe([](pipe& p) {
    p.out.clear();
    p.in.clear();
  });
  (void)queues_.tell(state_->account().bytes());
  if (service_ != nullptr) {
    service_->leave(*this);
  }
}

void socket_core::disconnect(peer_id peer) {
  act([&] {
    if (auto* link = links_.of(peer)) {
      link->close(errc::socket_closed);
    }
  });
}

bool socket_core::senders_wait(std::optional<peer_id> to) const noexcept {
  return waiting_.senders_wait(to);
}

void socket_core::enter(pending_operations::side where, waiter& w) {
  const serial_check::scope alone{serial_};
  if (where == pending_operations::side::to_end && !ending_.over()) {
    waiting_.enter(where, w);
    return;
  }
  if (!open()) {
    w.complete(where == pending_operations::side::to_end ? ending_.outcome() : errc::socket_closed,
               waiter::when::later);
    return;
  }
  // Inside a turn, its end serves the operation, and user code continues without an extra post.
  if (!in_turn() && waiting_.is_next(where, w)) {
    error_code ec;
    auto done = w.attempt(ec);
    if (!done && where == pending_operations::side::to_send) {
      // The kernel may take bytes.
      flush();
      done = w.attempt(ec);
    }
    schedule();
    if (!done && where == pending_operations::side::to_send && deserted()) {
      ec = errc::endpoint_stopped;
      done = true;
    }
    if (done) {
      conclude(w, ec);
      return;
    }
  }
  waiting_.enter(where, w);
  if (w.due) {
    waiting_alarm_.set(w.due);
  }
}

void socket_core::conclude(waiter& w, error_code ec) {
  waiting_.conclude(w, ec);
  if (!in_turn()) {
    post_turn();
  }
}

// Returns whether there is no peer to send to and none will connect.
bool socket_core::deserted() const noexcept { return endpoints_.deserted() && links_.empty(); }

void socket_core::schedule() {
  const serial_check::scope alone{serial_};
  account();
  if (in_turn()) {
    return;
  }
  // A sent reply makes REP readable, and a sent request makes it writable.
  const bool waited_for = (waiting_.receivers_wait() && state_->readable()) ||
                          (waiting_.senders_wait() && state_->writable());
  if (waited_for || !state_->dirty().empty() || !state_->resumable().empty() ||
      !state_->too_slow().empty()) {
    post_turn();
  }
}

void socket_core::post_turn() {
  if (turn_posted_ || ending_.over()) {
    return;
  }
  asio::post(executor_, [self = shared_from_this()] {
    self->turn_posted_ = false;
    self->turn_ended_ = {};
    self->turn([] {});
  });
  turn_posted_ = true;
}

// Always keeps one handler posted, so that the executor's thread polls and does not sleep.
void socket_core::keep_awake() {
  if (kept_awake_ || !open() || now() - turn_ended_ >= options().spin) {
    return;
  }
  asio::post(executor_, [self = shared_from_this()] {
    self->kept_awake_ = false;
    self->keep_awake();
  });
  kept_awake_ = true;
}

bool socket_core::flush() { return flush_first(state_->dirty().size()); }

bool socket_core::flush_some() { return flush_first(few_flushes); }

bool socket_core::flush_first(std::size_t most) {
  const serial_check::scope alone{serial_};
  const turn_scope scope{turns_};
  begin_flush();
  return links_.flush(most);
}

bool socket_core::flush(peer_id to) {
  const serial_check::scope alone{serial_};
  const turn_scope scope{turns_};
  begin_flush();
  return links_.flush(to);
}

void socket_core::begin_flush() {
  turn_number_ += turns_ == 1 ? 1U : 0U;
  state_->end_turn();
  links_.tell_changes();
}

void socket_core::hand_over() {
  if (!links_.any_in_process()) {
    return;
  }
  const serial_check::scope alone{serial_};
  const turn_scope scope{turns_};
  state_->end_turn();
  links_.hand_over();
}

// Also inside a turn, because one turn may queue many messages.
inline void socket_core::account() {
  if (queues_.due(state_->account().bytes())) {
    tell_queued();
  }
}

void socket_core::tell_queued() {
  const auto quota = queues_.tell(state_->account().bytes());
  if (quota != state_->account().quota()) {
    state_->on_quota_changed(quota);
    if (waiting_.senders_wait()) {
      post_turn();
    }
  }
}

void socket_core::on_memory() {
  if (!ending_.over()) {
    turn([this] { tell_queued(); });
  }
}

void socket_core::begin_turn() {
  ++turn_number_;
  // Peers in the same process need no write.
  follows_at_once_ = !links_.any_in_process() && now() - turn_ended_ < together;
}

void socket_core::end_turn() {
  {
    const turn_scope scope{turns_};
    bool more = true;
    for (int round = 0; more && round < max_rounds; ++round) {
      more = links_.resume_drained();
      more = links_.end_too_slow() || more;
      // Attempt all operations first, because handlers may change which ones are pending.
      waiting_.attempt_all();
      if (deserted()) {
        waiting_.end_senders(errc::endpoint_stopped);
      }
      more = waiting_.tell_all() || more;
      // A pattern that drops received messages frees space without completing an operation.
      more = !state_->resumable().empty() || !state_->too_slow().empty() || more;
    }
    // If the kernel takes bytes, waiting send operations can continue.
    const auto promising = !state_->dirty().empty() && waiting_.senders_wait();
    if (more || promising || !(turn_posted_ || follows_at_once_) || !open()) {
      flush_first(more ? few_flushes : max_flushes);
    }
    account();
    more = more || !state_->resumable().empty() || !state_->too_slow().empty();
    if (more || promising || !state_->dirty().empty()) {
      post_turn();
    }
    turn_ended_ = now();
  }
  if (options().spin.count() != 0) {
    keep_awake();
  }
  if (ending_.finishing()) {
    check_finished();
  }
}

// Without memory, a later turn does the rest.
void socket_core::end_turn_or_again() {
  try {
    end_turn();
  } catch (const std::bad_alloc&) {
    try {
      post_turn();
    } catch (const std::bad_alloc&) {
      // The next event begins a turn.
    }
    throw;
  }
}

void socket_core::on_deadline() {
  turn([this] {
    waiting_.expire(now());
    waiting_alarm_.set(waiting_.first_deadline());
  });
}

void socket_core::close(error_code reason, std::optional<std::chrono::milliseconds> linger) {
  const serial_check::scope alone{serial_};
  const auto step = ending_.on_close(now(), linger, state_->counters().dropped_detached);
  linger_alarm_.set(ending_.next_deadline());
  switch (step) {
    case linger_state::step::nothing: break;
    case linger_state::step::finish:
      waiting_.close(reason);
      finish();
      break;
    case linger_state::step::end:
      waiting_.close(reason);
      shut();
      break;
  }
}

void socket_core::finish() {
  lingering_ = shared_from_this();
  waiting_alarm_.cancel();
  endpoints_.stop_listening();
  {
    const turn_scope scope{turns_};
    flush();
    endpoints_.finish();
    links_.finish();
  }
  schedule();
  check_finished();
}

void socket_core::start_close(std::optional<std::chrono::milliseconds> linger,
                              completion_handler<void(error_code)> handler) {
  start(pending_operations::side::to_end, std::move(handler), deadline{},
        [](error_code&) { return false; });
  close(errc::socket_closed, linger);
}

void socket_core::start_close(deadline until, completion_handler<void(error_code)> handler) {
  std::optional<std::chrono::milliseconds> linger;
  if (const auto at = until.at(*runtime_)) {
    linger = std::max(std::chrono::ceil<std::chrono::milliseconds>(*at - now()),
                      std::chrono::milliseconds{0});
  }
  start_close(linger, std::move(handler));
}

bool socket_core::all_written() {
  flush();
  return !state_->unwritten();
}

std::optional<option_fault> socket_core::change_options(const socket_options& options) {
  const serial_check::scope alone{serial_};
  if (const auto fault =
          find_change_fault(state_->options(), options, state_->type(), endpoints_.used())) {
    return fault;
  }
  state_->change_options(options);
  links_.options_changed();
  return std::nullopt;
}

void socket_core::check_finished() {
  if (ending_.finishing() && !in_turn() && links_.empty() && !endpoints_.any_connects()) {
    shut();
  }
}

void socket_core::on_linger() {
  const auto self = shared_from_this();
  if (ending_.expired(now())) {
    shut();
  } else {
    linger_alarm_.set(ending_.next_deadline());
  }
}

void socket_core::shut() noexcept {
  const auto self = std::move(lingering_);
  ending_.on_end(state_->unwritten(), state_->counters().dropped_detached);
  waiting_alarm_.cancel();
  linger_alarm_.cancel();
  endpoints_.close();
  state_->on_closed();
  links_.abandon();
  (void)queues_.tell(state_->account().bytes());
  queues_.close();
  tell_end();
}

void socket_core::tell_end() noexcept {
  if (service_ == nullptr) {
    return;
  }
  try {
    waiting_.end(ending_.outcome());
    monitors_.close();
  } catch (const std::bad_alloc&) {
    // Without memory, some handlers and events are lost.
  }
}

void socket_core::abandon() noexcept {
  service_ = nullptr;
  runtime_ = &runtime::system();
  shut();
  waiting_alarm_.abandon();
  linger_alarm_.abandon();
  // Must be last. Destroying handlers destroys what they own, perhaps this socket.
  waiting_.abandon();
  monitors_.abandon();
}

}  // namespace zmtp
