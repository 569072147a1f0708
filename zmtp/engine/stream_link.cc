#include "zmtp/engine/stream_link.h"

#include "zmtp/buffer/read_buffer.h"
#include "zmtp/mechanism/security.h"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

namespace zmtp {

namespace {

// Reads per readiness event. A second one saves a wait if the first was full.
constexpr int reads_per_turn = 2;

graceful_close::received what_was_heard(std::size_t bytes, const error_code& ec) noexcept {
  if (bytes != 0) {
    return graceful_close::received::bytes;
  }
  if (ec == asio::error::would_block) {
    return graceful_close::received::nothing;
  }
  return ec == asio::error::eof ? graceful_close::received::end : graceful_close::received::failure;
}

}  // namespace

stream_link::stream_link(std::shared_ptr<socket_core> core,
                         std::unique_ptr<transport::stream> stream, std::optional<peer_id> pipe)
    : peer_link{std::move(core), pipe},
      stream_{std::move(stream)},
      connection_{core_->state().type(),
                  make_mechanism(core_->options().security,
                                 pipe ? handshake_role::connecting : handshake_role::accepting,
                                 own_properties(core_->state()), core_->options().limit),
                  core_->options().limit, core_->options().heartbeat, core_->now()} {}

void stream_link::start() {
  report_start();
  // A closed socket connects only to write its remaining messages.
  if (core_->ending().finishing()) {
    graceful_close_.begin();
  }
  or_end([this] {
    write_soon();
    wait_readable();
    arm_deadline();
  });
}

send_queue& stream_link::out() noexcept {
  auto* p = own_pipe();
  return p != nullptr ? p->out : no_out_;
}

void stream_link::wait_readable() {
  if (reading_ || ended_ || connection_.over() || connection_.deciding() ||
      (connection_.blocked() && !graceful_close_.begun()) || !graceful_close_.listens()) {
    return;
  }
  stream_->wait(transport::stream_side::read, self());
  reading_ = true;
}

void stream_link::on_ready(transport::stream_side side, error_code ec) {
  side == transport::stream_side::read ? on_readable(ec) : on_writable(ec);
}

void stream_link::on_readable(error_code ec) {
  reading_ = false;
  if (ended_) {
    return;
  }
  // If the wait cannot be started, the stream would receive no further events.
  or_end([&] { core_->turn([&] { ec ? end(errc::connection_lost) : listen(); }); });
  or_end([this] { settle(); });
}

void stream_link::listen() {
  try {
    read();
  } catch (const std::bad_alloc&) {
    // If there is no memory for a peer's data, only that connection ends.
    end(errc::out_of_memory);
  }
}

// Call at the end of a turn. The remaining bytes must not hold more memory than they need.
void stream_link::settle() {
  if (ended_) {
    return;
  }
  connection_.settle();
  if (!hold(connection_.own_memory())) {
    core_->turn([this] { close(errc::partial_message_evicted); });
    return;
  }
  if (auto* p = own_pipe()) {
    p->in.compact();
  }
  charge(connection_.blocked_memory());
  // Report the messages that this link has received.
  core_->schedule();
  wait_readable();
}

// Undecoded data uses memory as queued messages do.
void stream_link::charge(std::size_t bytes) noexcept {
  auto& account = core_->state().account();
  account.subtract(std::exchange(charged_, bytes));
  account.add(bytes);
}

void stream_link::read() {
  if (graceful_close_.begun() && connection_.traffic()) {
    discard();
    return;
  }
  for (int i = 0; i < reads_per_turn && !ended_; ++i) {
    if (!hold(connection_.next_memory())) {
      close(errc::partial_message_evicted);
      return;
    }
    // While memory is short, leave data that the queue cannot take in the kernel.
    const auto to = connection_.prepare(core_->state().account().quota());
    if (to.empty()) {
      return;
    }
    error_code ec;
    const auto count = stream_->read_some(to, ec);
    if (ec == asio::error::would_block) {
      return;
    }
    if (ec) {
      end(errc::connection_lost);
      return;
    }
    connection_.commit(count, core_->now());
    core_->state().count_read(counters(), count);
    process();
    if (count < to.size()) {
      return;
    }
  }
}

// Returns whether a partial message may hold this many bytes. Reports only changes to the ledger of
// the process, and nothing for small messages.
bool stream_link::hold(std::size_t bytes) {
  if (bytes == (partial_message_ != nullptr ? partial_message_->held() : 0)) {
    return true;
  }
  if (partial_message_ == nullptr) {
    partial_message_ = std::make_unique<partial_message>(*core_, self());
  }
  return partial_message_->hold(bytes);
}

void stream_link::evict() {
  if (partial_message_ != nullptr && partial_message_->evicted()) {
    core_->turn([this] { close(errc::partial_message_evicted); });
  }
}

void stream_link::discard() {
  const auto memory = scratch_block();
  error_code ec;
  const auto count = stream_->read_some({memory->data(), memory->capacity()}, ec);
  if (count != 0) {
    connection_.received(core_->now());
  }
  switch (graceful_close_.on_read(what_was_heard(count, ec))) {
    case graceful_close::verdict::stays: return;
    case graceful_close::verdict::closed: part(); return;
    case graceful_close::verdict::left_unread: leave_unread(); return;
  }
}

void stream_link::part() {
  switch (graceful_close_.decide_admission(core_->now(), send_broken_, stream_->reset(),
                                           stream_->unacknowledged())) {
    case graceful_close::outcome::read_all: end(errc::socket_closed); return;
    case graceful_close::outcome::left_unread: leave_unread(); return;
    case graceful_close::outcome::unknown: arm_deadline(); return;
  }
}

void stream_link::leave_unread() {
  core_->ending().on_unread();
  end(errc::connection_lost);
}

void stream_link::process() {
  const auto refused_before = core_->state().counters().refused_subscriptions;
  while (!ended_) {
    auto* const p = own_pipe();
    connection_.receive_into(p != nullptr ? p->in : no_in_);
    if (p != nullptr) {
      p->blocked = connection_.blocked();
      p->rest = p->blocked                    ? unread::messages
                : connection_.message_begun() ? unread::beginning
                                              : unread::nothing;
      core_->state().on_received(*p);
    }
    auto event = connection_.next_event();
    if (!event) {
      break;
    }
    on_event(std::move(*event));
  }
  const auto refused = connection_.refused_subscriptions();
  core_->state().on_refused_subscriptions(refused - std::exchange(refused_, refused));
  if (ended_) {
    return;
  }
  if (core_->state().counters().refused_subscriptions != refused_before) {
    report(monitor_event::kind::subscription_refused, errc::too_many_subscriptions);
  }
  if (connection_.has_output(out())) {
    write_soon();
  }
  arm_deadline();
}

void stream_link::on_event(conversation::event&& event) {
  struct {
    stream_link& self;
    void operator()(const conversation::authentication_requested&) const {
      self.on_authentication();
    }
    void operator()(const conversation::admission_requested&) const { self.on_admission(); }
    void operator()(const conversation::ready&) const { self.on_ready(); }
    void operator()(const conversation::subscription& s) const {
      if (auto* p = self.own_pipe()) {
        self.core_->state().on_subscription(*p, s.subscribe, s.topic);
      }
    }
    void operator()(const conversation::not_reading&) const {
      if (auto* p = self.own_pipe()) {
        self.core_->state().on_not_reading(*p);
        self.report(monitor_event::kind::not_reading);
      }
    }
    void operator()(const conversation::closed& c) const {
      self.write();
      self.end(c.reason);
    }
  } act{*this};
  std::visit(act, event);
}

void stream_link::on_authentication() {
  const auto& whom = core_->options().authenticator;
  if (whom == nullptr) {
    connection_.authenticated();
    return;
  }
  admission_ = std::make_unique<admission>(core_->executor());
  admission_->ask(whom, known_peer(), connection_.shown(),
                  [link = std::weak_ptr{self()}](authenticator::verdict answer) {
                    if (const auto self = link.lock(); self && !self->ended_) {
                      self->on_verdict(std::move(answer));
                    }
                  });
}

void stream_link::on_verdict(authenticator::verdict&& answer) {
  or_end([&] {
    core_->turn([&] {
      if (const auto* refused = admission_->record(std::move(answer))) {
        connection_.refuse(errc::not_admitted, refused->status);
      } else {
        connection_.authenticated();
      }
      process();
    });
  });
  or_end([this] { settle(); });
}

void stream_link::on_admission() {
  const peer_info info{.type = connection_.peer_type(),
                       .routing_id = std::string{connection_.peer_routing_id()},
                       .address = {},
                       .properties = {}};
  if (const auto refused = decide_admission(info)) {
    connection_.refuse(refused);
  } else {
    connection_.admit();
  }
}

void stream_link::on_ready() {
  if (attach(known_peer()) == nullptr) {
    connection_.close(errc::socket_closed);
    return;
  }
  admission_.reset();
  for (const auto& m : core_->state().greetings()) {
    connection_.greet(m);
  }
  for (const auto topic : core_->state().topics()) {
    connection_.subscribe(topic);
  }
}

// Queued messages are written when the turn ends. During a handshake, no further output can follow
// in this turn.
void stream_link::write_soon() {
  if (auto* p = own_pipe(); p != nullptr && p->attached) {
    core_->state().touch(*p);
  } else {
    write();
  }
}

bool stream_link::flush() {
  // After the local end is closed, a PING cannot be sent any more.
  if (ended_ || writing_ || send_broken_ || graceful_close_.shut()) {
    return true;
  }
  if (last_write_turn_ == core_->turn_number() && connection_.has_output(out())) {
    return false;
  }
  const auto keep = read_before_writing();
  write();
  return ended_ || writing_ || send_broken_ || graceful_close_.shut() ||
         !connection_.has_output(out());
}

// Returns an owner of this link for the caller, because reading may end the link.
std::shared_ptr<stream_link> stream_link::read_before_writing() {
  const auto* const p = own_pipe();
  if (!core_->state().reads_before_writing() || p == nullptr || p->out.empty() ||
      graceful_close_.begun()) {
    return nullptr;
  }
  auto keep = self();
  listen();
  or_end([this] { settle(); });
  return keep;
}

void stream_link::write() {
  if (ended_ || writing_ || send_broken_ || graceful_close_.shut()) {
    return;
  }
  last_write_turn_ = core_->turn_number();
  std::array<conversation::piece, conversation::max_pieces> pieces;
  auto& queue = out();
  if (const auto count = connection_.output(pieces, queue); count != 0) {
    std::size_t offered = 0;
    for (std::size_t i = 0; i < count; ++i) {
      offered += pieces[i].size();
    }
    error_code ec;
    const auto written = stream_->write_some(std::span{pieces}.first(count), ec);
    if (ec && ec != asio::error::would_block) {
      // Read the remaining data of the peer first, and end after it. A peer that is still
      // connected, when a write failed without memory, must be disconnected, because the lost bytes
      // cannot be sent again.
      cut_off();
    } else {
      connection_.advance(written, queue);
      core_->state().count_written(counters(), written);
      if (auto* p = own_pipe(); p != nullptr && written != 0) {
        core_->state().on_written(*p);
      }
      if (written < offered) {
        wait_writable();
      }
    }
  }
  if (!writing_ && graceful_close_.shuts(connection_.traffic(),
                                         !send_broken_ && connection_.has_output(queue))) {
    stream_->shutdown_send();
  }
}

void stream_link::tell(bool subscribe, std::string_view topic) {
  if (subscribe) {
    connection_.subscribe(topic);
  } else {
    connection_.cancel(topic);
  }
}

void stream_link::cut_off() {
  send_broken_ = true;
  stream_->shutdown();
  if (auto* p = own_pipe()) {
    core_->state().take_rest(*p);
  }
}

void stream_link::wait_writable() {
  try {
    stream_->wait(transport::stream_side::write, self());
    writing_ = true;
  } catch (const std::bad_alloc&) {
    cut_off();
  }
}

void stream_link::on_writable(error_code ec) {
  writing_ = false;
  if (ended_) {
    return;
  }
  or_end([&] { core_->turn([&] { ec ? end(errc::connection_lost) : write_soon(); }); });
}

void stream_link::resume() {
  const auto keep = self();
  or_end([this] {
    process();
    settle();
  });
}

void stream_link::probe() {
  connection_.probe(core_->now(), acknowledged());
  write_soon();
  arm_deadline();
}

void stream_link::close(error_code reason) {
  const auto keep = self();
  connection_.close(reason);
  process();
}

void stream_link::finish() {
  graceful_close_.begin();
  const auto keep = self();
  if (!connection_.traffic() && (own_pipe() == nullptr || own_pipe()->out.empty())) {
    end(errc::socket_closed);
    return;
  }
  if (connection_.traffic()) {
    connection_.drop_unread();
    charge(0);
    (void)hold(0);
  }
  write_soon();
  if (send_broken_) {
    end(errc::socket_closed);
    return;
  }
  wait_readable();
}

conversation::acknowledgement stream_link::acknowledged() {
  const auto notified = stream_->acknowledged();
  return {.bytes = notified.bytes, .complete = notified.complete};
}

void stream_link::arm_deadline() {
  // After the peer has closed its end, it cannot answer a heartbeat.
  const auto due =
      graceful_close_.listens() ? connection_.next_deadline() : graceful_close_.next_look();
  if (due == timer_due_) {
    return;
  }
  timer_due_ = due;
  if (!due) {
    timer_.reset();
    return;
  }
  if (!timer_) {
    timer_.emplace(core_->executor());
  }
  timer_->expires_at(*due);
  timer_->async_wait([self = self()](error_code ec) {
    if (ec || self->ended_) {
      return;
    }
    self->or_end([&] {
      self->core_->turn([&] { self->on_deadline(); });
      self->settle();
    });
  });
}

void stream_link::on_deadline() {
  timer_due_.reset();
  if (!graceful_close_.listens()) {
    part();
    return;
  }
  // After a delay of the event loop, the peer's answer may wait in the kernel.
  listen();
  if (!ended_) {
    connection_.on_deadline(core_->now(), acknowledged());
    process();
  }
}

void stream_link::end(error_code reason) {
  if (ended_) {
    return;
  }
  ended_ = true;
  const auto keep = self();
  report_end(reason, admission_ ? admission_->reported(reason) : reason);
  abandon();
  detach(reason);
}

peer_info stream_link::known_peer() {
  auto remote = stream_->remote();
  auto accepted = admission_ ? admission_->accepted() : authenticator::principal{};
  return {.type = connection_.peer_type(),
          .routing_id = std::string{connection_.peer_routing_id()},
          .address = std::move(remote.address),
          .properties = connection_.peer_metadata(),
          .process = remote.process,
          .user_id = std::move(accepted.user_id),
          .user_properties = std::move(accepted.properties)};
}

void stream_link::abandon() noexcept {
  ended_ = true;
  connection_.drop_unread();
  charge(0);
  partial_message_.reset();
  admission_.reset();
  stream_->close();
  timer_.reset();
}

}  // namespace zmtp
