#include "zmtp/socket/socket_core.h"

#include "zmtp/socket/dialer.h"
#include "zmtp/socket/entrance.h"
#include "zmtp/socket/inproc_listener.h"
#include "zmtp/socket/listener.h"
#include "zmtp/socket/monitor_queue.h"
#include "zmtp/socket/peer_link.h"
#include "zmtp/socket/socket_service.h"

#include <algorithm>
#include <new>
#include <utility>

namespace zmtp {

namespace {

// How often a turn goes round before others on the executor have theirs.
constexpr int max_rounds = 16;
// Peers that a turn writes to before others on the executor have theirs; and while the user has more to
// send: what is for the rest gathers, and goes in fewer writes.
constexpr std::size_t max_flushes = 64;
constexpr std::size_t few_flushes = 8;
// A turn that begins so soon after another is one of several: connections were ready together. What
// their turns send to one peer goes in one write, in a turn that is posted behind them.
constexpr std::chrono::microseconds together{3};

monitor_event about(monitor_event::kind what, const endpoint& at, error_code reason = {}) {
  monitor_event event;
  event.what = what;
  event.endpoint = at.to_string();
  event.reason = reason;
  return event;
}

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
      state_{std::move(state)},
      service_{&socket_service::of(executor_)},
      random_{std::random_device{}()},
      queues_{executor_},
      deadline_timer_{std::in_place, executor_},
      linger_timer_{std::in_place, executor_} {}

std::uint64_t socket_core::random_seed() {
  std::random_device device;
  const std::uint64_t high = device();
  return high << 32 | device();
}

socket_core::~socket_core() {
  state_->for_each_pipe([](pipe& p) {
    p.out.clear();
    p.in.clear();
  });
  (void)queues_.tell(state_->account().octets());
  if (service_ != nullptr) {
    service_->leave(*this);
  }
}

result<endpoint> socket_core::bind(std::string_view text) {
  const serial_check::scope alone{serial_};
  const auto at = endpoint::parse(text);
  if (!at) {
    return at.error();
  }
  if (!at->bindable()) {
    return make_error_code(errc::bad_endpoint);
  }
  if (!open()) {
    return make_error_code(errc::socket_closed);
  }
  return at->inproc() != nullptr ? enter_by<inproc_listener>(*at) : enter_by<listener>(*at);
}

template <class Listener>
result<endpoint> socket_core::enter_by(const endpoint& at) {
  auto added = std::make_shared<Listener>(*this);
  if (const auto ec = added->open(at)) {
    report([&] { return about(monitor_event::kind::bind_failed, at, ec); });
    return ec;
  }
  report([&] { return about(monitor_event::kind::listening, added->bound()); });
  gave_up_ = false;
  used_ = true;
  entrances_.push_back(added);
  return added->bound();
}

error_code socket_core::connect(std::string_view text) {
  const serial_check::scope alone{serial_};
  const auto to = endpoint::parse(text);
  if (!to) {
    return to.error();
  }
  if (!to->connectable()) {
    return errc::bad_endpoint;
  }
  if (!open()) {
    return errc::socket_closed;
  }
  gave_up_ = false;
  used_ = true;
  auto& p = state_->open_pipe(true);
  dialers_.push_back(std::make_shared<dialer>(*this, *to, p.id));
  dialers_.back()->start();
  if (waiting_.senders_wait()) {
    post_turn();
  }
  return {};
}

error_code socket_core::unbind(std::string_view text) {
  const serial_check::scope alone{serial_};
  const auto at = endpoint::parse(text);
  if (!at) {
    return at.error();
  }
  const auto found = std::find_if(entrances_.begin(), entrances_.end(),
                                  [&](const auto& l) { return l->is_at(*at); });
  if (found == entrances_.end()) {
    return errc::bad_endpoint;
  }
  report([&] { return about(monitor_event::kind::unbound, (*found)->bound()); });
  (*found)->close();
  entrances_.erase(found);
  return {};
}

error_code socket_core::disconnect(std::string_view text) {
  const auto to = endpoint::parse(text);
  if (!to) {
    return to.error();
  }
  const auto found =
      std::find_if(dialers_.begin(), dialers_.end(), [&](const auto& d) { return d->to() == *to; });
  if (found == dialers_.end()) {
    return errc::bad_endpoint;
  }
  const auto gone = *found;
  dialers_.erase(found);
  act([&] {
    const auto link = gone->link();
    gone->close();
    if (link) {
      link->close(errc::socket_closed);
    }
    drop(*gone);
  });
  return {};
}

// The endpoint's pipe goes with it.
void socket_core::drop(const dialer& gone) {
  if (auto* p = state_->find(gone.pipe())) {
    state_->close_pipe(*p);
  }
}

void socket_core::give_up(const std::shared_ptr<dialer>& gone, error_code reason) {
  report([&] { return about(monitor_event::kind::stopped, gone->to(), reason); });
  turn([&] {
    gave_up_ = true;
    gone->close();
    std::erase(dialers_, gone);
    drop(*gone);
  });
}

// Nobody is there to send to, nor will come.
bool socket_core::deserted() const noexcept {
  return gave_up_ && dialers_.empty() && entrances_.empty() && links_.empty();
}

void socket_core::disconnect(peer_id peer) {
  act([&] {
    if (auto* link = link_of(peer)) {
      link->close(errc::socket_closed);
    }
  });
}

// What the user does to connections. What that makes ready for who waits is for a turn of its own:
// user code is never called within a call of its own.
template <class Body>
void socket_core::act(Body&& body) {
  const serial_check::scope alone{serial_};
  {
    const turn_scope scope{turns_};
    body();
  }
  if (!in_turn()) {
    post_turn();
  }
}

bool socket_core::senders_wait(std::optional<peer_id> to) const noexcept {
  return waiting_.senders_wait(to);
}

void socket_core::enter(waiting_room::side where, waiter& w) {
  const serial_check::scope alone{serial_};
  if (where == waiting_room::side::to_end && phase_ != phase::closed) {
    waiting_.enter(where, w);
    return;
  }
  if (!open()) {
    w.complete(where == waiting_room::side::to_end ? end_ : errc::socket_closed,
               waiter::when::later);
    return;
  }
  // In a turn its end serves the waiter, and user code goes on without a detour.
  if (!in_turn() && waiting_.is_next(where, w)) {
    error_code ec;
    auto done = w.attempt(ec);
    if (!done && where == waiting_room::side::to_send) {
      // Perhaps the kernel has room.
      flush();
      done = w.attempt(ec);
    }
    schedule();
    if (!done && where == waiting_room::side::to_send && deserted()) {
      ec = errc::endpoint_stopped;
      done = true;
    }
    if (done) {
      conclude(w, ec);
      return;
    }
  }
  waiting_.enter(where, w);
  if (w.due && (!deadline_armed_ || *w.due < *deadline_armed_)) {
    arm_deadline();
  }
}

void socket_core::conclude(waiter& w, error_code ec) {
  waiting_.conclude(w, ec);
  if (!in_turn()) {
    post_turn();
  }
}

void socket_core::schedule() {
  const serial_check::scope alone{serial_};
  account();
  if (in_turn()) {
    return;
  }
  // A reply makes REP readable, a request writable.
  const bool waited_for = (waiting_.receivers_wait() && state_->readable()) ||
                          (waiting_.senders_wait() && state_->writable());
  if (waited_for || !state_->dirty().empty() || !state_->drained().empty()) {
    post_turn();
  }
}

void socket_core::post_turn() {
  if (turn_posted_ || phase_ == phase::closed) {
    return;
  }
  asio::post(executor_, [self = shared_from_this()] {
    self->turn_posted_ = false;
    self->turn_ended_ = {};
    self->turn([] {});
  });
  turn_posted_ = true;
}

// Something is always to be done in the executor, so that its thread polls and does not sleep.
void socket_core::keep_awake() {
  if (kept_awake_ || phase_ != phase::open || clock::now() - turn_ended_ >= options().spin) {
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
  auto& dirty = state_->dirty();
  for (auto count = std::min(dirty.size(), most); count != 0; --count) {
    const auto id = dirty.front();
    auto* const link = link_of(id);
    const auto more = link != nullptr && !link->flush();
    auto* const p = state_->find(id);
    if (p != nullptr) {
      p->out.settle();
      p->dirty = false;
    }
    dirty.pop_front();
    // Whoever has more comes after those that were not asked.
    if (p != nullptr && more) {
      state_->touch(*p);
    }
  }
  return dirty.empty();
}

// Its place among the dirty ones stays: there it has nothing left, or what it got since.
bool socket_core::flush(peer_id to) {
  const serial_check::scope alone{serial_};
  const turn_scope scope{turns_};
  begin_flush();
  auto* const link = link_of(to);
  return link == nullptr || link->flush();
}

void socket_core::begin_flush() {
  turn_number_ += turns_ == 1 ? 1U : 0U;
  state_->end_turn();
  tell_peers();
}

void socket_core::hand_over() {
  if (links_in_process_ == 0) {
    return;
  }
  const serial_check::scope alone{serial_};
  const turn_scope scope{turns_};
  state_->end_turn();
  for (const auto id : state_->dirty()) {
    if (auto* const link = link_of(id)) {
      link->hand_over();
    }
  }
}

// What has changed since, of our subscriptions.
void socket_core::tell_peers() {
  auto& untold = state_->untold();
  if (untold.empty()) {
    return;
  }
  state_->for_each_pipe([&](const pipe& p) {
    if (auto* link = link_of(p.id)) {
      for (const auto& change : untold) {
        link->tell(change.subscribe, change.topic);
      }
    }
  });
  untold.clear();
}

bool socket_core::resume_drained() {
  auto& drained = state_->drained();
  if (drained.empty()) {
    return false;
  }
  for (std::size_t i = 0; i < drained.size(); ++i) {
    if (auto* link = link_of(drained[i])) {
      link->resume();
    }
  }
  drained.clear();
  return true;
}

// Within a turn, too, that queues more and more.
inline void socket_core::account() {
  if (queues_.due(state_->account().octets())) {
    tell_queued();
  }
}

void socket_core::tell_queued() {
  const auto allowance = queues_.tell(state_->account().octets());
  if (allowance != state_->account().allowance()) {
    state_->on_allowance(allowance);
    if (waiting_.senders_wait()) {
      post_turn();
    }
  }
}

void socket_core::on_memory() {
  if (phase_ != phase::closed) {
    turn([this] { tell_queued(); });
  }
}

void socket_core::begin_turn() {
  ++turn_number_;
  // Peers in the process cost no write.
  one_of_several_ = links_in_process_ == 0 && clock::now() - turn_ended_ < together;
}

void socket_core::end_turn() {
  {
    const turn_scope scope{turns_};
    bool more = true;
    for (int round = 0; more && round < max_rounds; ++round) {
      more = resume_drained();
      // Attempts first, user code after: it may change who waits.
      waiting_.attempt_all();
      if (deserted()) {
        waiting_.end_senders(errc::endpoint_stopped);
      }
      more = waiting_.tell_all() || more;
      // A pattern that drops what it has no use for makes room without telling anybody.
      more = !state_->drained().empty() || more;
    }
    // What the kernel takes makes room for who waits to send.
    const auto promising = !state_->dirty().empty() && waiting_.senders_wait();
    if (more || promising || !(turn_posted_ || one_of_several_) || phase_ != phase::open) {
      flush_first(more ? few_flushes : max_flushes);
    }
    account();
    more = more || !state_->drained().empty();
    if (more || promising || !state_->dirty().empty()) {
      post_turn();
    }
    turn_ended_ = clock::now();
  }
  if (options().spin.count() != 0) {
    keep_awake();
  }
  if (phase_ == phase::finishing) {
    check_finished();
  }
}

void socket_core::attach(peer_id id, const std::shared_ptr<peer_link>& to_peer) {
  // The newcomer is told of all; those that are there, of what is new.
  tell_peers();
  if (id.slot >= by_slot_.size()) {
    by_slot_.resize(id.slot + 1);
  }
  by_slot_[id.slot] = to_peer.get();
}

void socket_core::detach(peer_id id) noexcept {
  if (id.slot < by_slot_.size()) {
    by_slot_[id.slot] = nullptr;
  }
}

peer_link* socket_core::link_of(peer_id id) const noexcept {
  return id.slot < by_slot_.size() && state_->find(id) != nullptr ? by_slot_[id.slot] : nullptr;
}

void socket_core::add(const std::shared_ptr<peer_link>& to_peer) {
  links_.emplace(to_peer.get(), to_peer);
}
std::vector<peer_status> socket_core::peers() const {
  std::vector<peer_status> all;
  state_->for_each_pipe([&](const pipe& p) {
    if (const auto* link = p.attached ? link_of(p.id) : nullptr) {
      all.push_back({.id = p.id,
                     .info = p.info,
                     .counters = p.counters,
                     .messages_to_send = p.out.messages(),
                     .octets_to_send = p.out.octets(),
                     .messages_to_receive = p.in.size(),
                     .octets_to_receive = p.in.octets(),
                     .attached_at = link->attached_at()});
    }
  });
  return all;
}

std::shared_ptr<monitor_queue> socket_core::monitor(std::size_t capacity) {
  const serial_check::scope alone{serial_};
  auto queue = std::make_shared<monitor_queue>(executor_, capacity);
  if (phase_ == phase::closed) {
    queue->close(errc::socket_closed);
  } else {
    monitors_.push_back(queue);
  }
  return queue;
}

void socket_core::tell_monitors(monitor_event&& event) {
  event.at = clock::now();
  std::erase_if(monitors_, [&](const auto& watching) {
    const auto queue = watching.lock();
    if (queue) {
      queue->push(event);
    }
    return queue == nullptr;
  });
}

void socket_core::tell_end() noexcept {
  if (service_ == nullptr) {
    return;
  }
  try {
    waiting_.end(end_);
    report([] { return monitor_event{}; });
    for (const auto& watching : std::exchange(monitors_, {})) {
      if (const auto queue = watching.lock()) {
        queue->close(errc::socket_closed);
      }
    }
  } catch (const std::bad_alloc&) {
    // What cannot be told for want of memory is lost.
  }
}

void socket_core::remove(const peer_link& to_peer) noexcept { links_.erase(&to_peer); }

void socket_core::arm_deadline() {
  deadline_armed_ = waiting_.first_deadline();
  if (!deadline_armed_) {
    return;
  }
  deadline_timer_->expires_at(*deadline_armed_);
  deadline_timer_->async_wait([self = weak_from_this()](error_code ec) {
    if (const auto core = self.lock(); core && !ec) {
      core->on_deadline();
    }
  });
}

void socket_core::on_deadline() {
  turn([this] {
    waiting_.expire(clock::now());
    arm_deadline();
  });
}

void socket_core::close(error_code reason, std::optional<std::chrono::milliseconds> linger) {
  const serial_check::scope alone{serial_};
  if (phase_ == phase::closed) {
    return;
  }
  if (phase_ == phase::open) {
    dropped_before_ = state_->counters().dropped_detached;
  }
  if (linger && linger->count() == 0) {
    waiting_.close(reason);
    shut();
    return;
  }
  if (linger) {
    arm_linger(*linger);
  } else {
    linger_timer_->cancel();
  }
  if (phase_ == phase::finishing) {
    return;
  }
  phase_ = phase::finishing;
  lingering_ = shared_from_this();
  waiting_.close(reason);
  deadline_timer_->cancel();
  for (const auto& l : entrances_) {
    l->close();
  }
  entrances_.clear();
  {
    const turn_scope scope{turns_};
    flush();
    for (const auto& d : dialers_) {
      d->finish();
    }
    const auto links = links_;
    for (const auto& [key, link] : links) {
      link->finish();
    }
  }
  schedule();
  check_finished();
}

void socket_core::start_close(std::optional<std::chrono::milliseconds> linger,
                              completion_handler<void(error_code)> handler) {
  start(waiting_room::side::to_end, std::move(handler), deadline{},
        [](error_code&) { return false; });
  close(errc::socket_closed, linger);
}

bool socket_core::unwritten() const noexcept {
  bool any = false;
  state_->for_each_pipe([&](const pipe& p) { any = any || !p.out.empty(); });
  return any;
}

bool socket_core::all_written() {
  flush();
  return !unwritten();
}

error_code socket_core::change_options(const socket_options& options) {
  const serial_check::scope alone{serial_};
  if (const auto ec = validate_change(state_->options(), options, state_->type(), used_)) {
    return ec;
  }
  state_->change_options(options);
  const auto links = links_;
  for (const auto& [key, link] : links) {
    link->options_changed();
  }
  return {};
}

void socket_core::check_finished() {
  if (phase_ != phase::finishing || in_turn()) {
    return;
  }
  // Each of thousands of connections that end asks: whoever is not the last may wait.
  while (!dialers_.empty() && !dialers_.back()->active()) {
    dialers_.pop_back();
  }
  if (links_.empty() && dialers_.empty()) {
    shut();
  }
}

void socket_core::arm_linger(std::chrono::milliseconds linger) {
  // Further away the clock does not count.
  linger_timer_->expires_after(
      std::min<std::chrono::milliseconds>(linger, std::chrono::hours{24 * 365}));
  linger_timer_->async_wait([self = weak_from_this()](error_code ec) {
    if (const auto core = self.lock(); core && !ec) {
      core->shut();
    }
  });
}

void socket_core::shut() noexcept {
  const auto self = std::move(lingering_);
  phase_ = phase::closed;
  if (unwritten()) {
    end_ = errc::timed_out;
  } else if (unread_ || state_->counters().dropped_detached != dropped_before_) {
    end_ = errc::connection_lost;
  }
  if (deadline_timer_) {
    deadline_timer_->cancel();
  }
  if (linger_timer_) {
    linger_timer_->cancel();
  }
  for (const auto& l : entrances_) {
    l->close();
  }
  entrances_.clear();
  for (const auto& d : dialers_) {
    d->close();
  }
  state_->on_closed();
  const auto links = std::move(links_);
  links_.clear();
  by_slot_.clear();
  for (const auto& [key, link] : links) {
    link->abandon();
  }
  dialers_.clear();
  (void)queues_.tell(state_->account().octets());
  queues_.close();
  tell_end();
}

void socket_core::abandon() noexcept {
  service_ = nullptr;
  shut();
  deadline_timer_.reset();
  linger_timer_.reset();
  // Last: what handlers own goes with them, this socket perhaps.
  waiting_.abandon();
  for (const auto& watching : std::exchange(monitors_, {})) {
    if (const auto queue = watching.lock()) {
      queue->abandon();
    }
  }
}

}  // namespace zmtp
