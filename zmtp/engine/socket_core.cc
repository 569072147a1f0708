#include "zmtp/engine/socket_core.h"

#include "zmtp/engine/context_service.h"
#include "zmtp/engine/link.h"

#include <algorithm>
#include <new>
#include <utility>

namespace zmtp {

namespace {

// The peers of a socket may have been silent for equally long. Others on the executor run after
// this many.
constexpr std::size_t deadlines_at_once = 64;

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
      turns_{*this, waiting_},
      waiting_{executor_},
      waiting_alarm_{executor_, [this] { on_deadline(); }},
      linger_alarm_{executor_, [this] { on_linger(); }},
      link_alarm_{executor_, [this] { on_link_deadlines(); }},
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
  const serial_check::scope alone{turns_.serial()};
  if (where == pending_operations::side::to_end && !ending_.over()) {
    waiting_.enter(where, w);
    return;
  }
  if (!open()) {
    w.complete(where == pending_operations::side::to_end ? ending_.outcome() : errc::socket_closed,
               waiter::when::later, executor_);
    waiting_.rest();
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

void socket_core::on_deadline() {
  turn([this] {
    waiting_.expire(now());
    waiting_alarm_.set(waiting_.first_deadline());
  });
}

void socket_core::close(error_code reason, std::optional<std::chrono::milliseconds> linger) {
  const serial_check::scope alone{turns_.serial()};
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
    const turns::scope inside{turns_};
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
  const serial_check::scope alone{turns_.serial()};
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

void socket_core::on_link_deadlines() {
  const auto self = shared_from_this();
  link_deadlines_.expire(now(), deadlines_at_once);
  link_alarm_.set(link_deadlines_.first());
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
  link_alarm_.cancel();
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
  link_alarm_.abandon();
  // Must be last. Destroying handlers destroys what they own, perhaps this socket.
  waiting_.abandon();
  monitors_.abandon();
}

}  // namespace zmtp
