#include "zmtp/engine/stream_link.h"

#include "zmtp/buffer/read_buffer.h"
#include "zmtp/mechanism/null.h"
#include "zmtp/transport/acknowledgement.h"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

namespace zmtp {

namespace {

// Reads per readiness event. A second one saves a wait if the first was full.
constexpr int reads_per_turn = 2;

std::unique_ptr<mechanism> make_mechanism(const socket_state& state, bool accepted) {
  using ready = null_mechanism::ready;
  return std::make_unique<null_mechanism>(own_properties(state), state.options().limit,
                                          accepted ? ready::once_admitted : ready::at_once);
}

parting::heard what_was_heard(std::size_t octets, const error_code& ec) noexcept {
  if (octets != 0) {
    return parting::heard::octets;
  }
  if (ec == asio::error::would_block) {
    return parting::heard::nothing;
  }
  return ec == asio::error::eof ? parting::heard::end : parting::heard::failure;
}

}  // namespace

wire_link::wire_link(std::shared_ptr<socket_core> core, transport::stream stream,
                     std::optional<peer_id> pipe)
    : peer_link{std::move(core), pipe},
      stream_{std::move(stream)},
      connection_{core_->state().type(),
                  null_mechanism::name,
                  make_mechanism(core_->state(), !pipe),
                  false,
                  core_->options().limit,
                  core_->options().heartbeat,
                  clock::now()} {}

void wire_link::start() {
  report_start();
  // A closed socket connects only to write its remaining messages.
  if (core_->ending().finishing()) {
    parting_.begin();
  }
  or_end([this] {
    write_soon();
    wait_readable();
    arm_deadline();
  });
}

send_queue& wire_link::out() noexcept {
  auto* p = own_pipe();
  return p != nullptr ? p->out : no_out_;
}

void wire_link::wait_readable() {
  if (reading_ || ended_ || connection_.over() || (connection_.blocked() && !parting_.begun()) ||
      !parting_.listens()) {
    return;
  }
  stream_.async_wait(transport::stream::wait_read,
                     [self = self()](error_code ec) { self->on_readable(ec); });
  reading_ = true;
}

void wire_link::on_readable(error_code ec) {
  reading_ = false;
  if (ended_) {
    return;
  }
  // If the wait cannot be started, the stream would receive no further events.
  or_end([&] { core_->turn([&] { ec ? end(errc::connection_lost) : listen(); }); });
  or_end([this] { settle(); });
}

void wire_link::listen() {
  try {
    read();
  } catch (const std::bad_alloc&) {
    // If there is no memory for a peer's data, only that connection ends.
    end(errc::out_of_memory);
  }
}

// Call at the end of a turn. The remaining bytes must not hold more memory than they need.
void wire_link::settle() {
  if (ended_) {
    return;
  }
  connection_.settle();
  if (!hold(connection_.own_memory())) {
    core_->turn([this] { close(errc::half_message_evicted); });
    return;
  }
  if (auto* p = own_pipe()) {
    p->in.settle();
  }
  charge(connection_.blocked_memory());
  // Report the messages that this link has received.
  core_->schedule();
  wait_readable();
}

// Undecoded data uses memory as queued messages do.
void wire_link::charge(std::size_t octets) noexcept {
  auto& account = core_->state().account();
  account.subtract(std::exchange(charged_, octets));
  account.add(octets);
}

void wire_link::read() {
  if (parting_.begun() && connection_.traffic()) {
    discard();
    return;
  }
  for (int i = 0; i < reads_per_turn && !ended_; ++i) {
    if (!hold(connection_.next_memory())) {
      close(errc::half_message_evicted);
      return;
    }
    // While memory is short, leave data that the queue cannot take in the kernel.
    const auto to = connection_.prepare(core_->state().account().allowance());
    if (to.empty()) {
      return;
    }
    error_code ec;
    const auto count = transport::read_some(stream_, to, ec);
    if (ec == asio::error::would_block) {
      return;
    }
    if (ec) {
      end(errc::connection_lost);
      return;
    }
    connection_.commit(count, clock::now());
    core_->state().count_read(counters(), count);
    process();
    if (count < to.size()) {
      return;
    }
  }
}

// Returns whether a partial message may hold this many bytes. Reports only changes to the ledger of
// the process, and nothing for small messages.
bool wire_link::hold(std::size_t octets) {
  if (octets == (half_message_ != nullptr ? half_message_->held() : 0)) {
    return true;
  }
  if (half_message_ == nullptr) {
    half_message_ = std::make_unique<half_message>(*core_, self());
  }
  return half_message_->hold(octets);
}

void wire_link::give_way() {
  if (half_message_ != nullptr && half_message_->condemned()) {
    core_->turn([this] { close(errc::half_message_evicted); });
  }
}

void wire_link::discard() {
  const auto memory = scratch_block();
  error_code ec;
  const auto count = transport::read_some(stream_, {memory->data(), memory->capacity()}, ec);
  if (count != 0) {
    connection_.heard(clock::now());
  }
  switch (parting_.on_read(what_was_heard(count, ec))) {
    case parting::verdict::stays: return;
    case parting::verdict::closed: part(); return;
    case parting::verdict::left_unread: leave_unread(); return;
  }
}

void wire_link::part() {
  const auto handle = stream_.native_handle();
  const auto unacknowledged = static_cast<std::size_t>(transport::unacknowledged(handle));
  switch (parting_.judge(clock::now(), deaf_, transport::reset(handle), unacknowledged)) {
    case parting::outcome::read_all: end(errc::socket_closed); return;
    case parting::outcome::left_unread: leave_unread(); return;
    case parting::outcome::unknown: arm_deadline(); return;
  }
}

void wire_link::leave_unread() {
  core_->ending().on_unread();
  end(errc::connection_lost);
}

void wire_link::process() {
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

void wire_link::on_event(connection::event&& event) {
  struct {
    wire_link& self;
    void operator()(const connection::admission_requested&) const { self.on_admission(); }
    void operator()(const connection::ready&) const { self.on_ready(); }
    void operator()(const connection::subscription& s) const {
      if (auto* p = self.own_pipe()) {
        self.core_->state().on_subscription(*p, s.subscribe, s.topic);
      }
    }
    void operator()(const connection::not_reading&) const {
      if (auto* p = self.own_pipe()) {
        self.core_->state().on_not_reading(*p);
        self.report(monitor_event::kind::not_reading);
      }
    }
    void operator()(const connection::closed& c) const {
      self.write();
      self.end(c.reason);
    }
  } act{*this};
  std::visit(act, event);
}

void wire_link::on_admission() {
  const peer_info info{.type = connection_.peer_type(),
                       .routing_id = std::string{connection_.peer_routing_id()},
                       .address = {},
                       .properties = {}};
  if (const auto refused = judge(info)) {
    connection_.refuse(refused);
  } else {
    connection_.admit();
  }
}

void wire_link::on_ready() {
  if (attach(known_peer()) == nullptr) {
    connection_.close(errc::socket_closed);
    return;
  }
  for (const auto& m : core_->state().greetings()) {
    connection_.greet(m);
  }
  for (const auto topic : core_->state().topics()) {
    connection_.subscribe(topic);
  }
}

// Queued messages are written when the turn ends. During a handshake, no further output can follow
// in this turn.
void wire_link::write_soon() {
  if (auto* p = own_pipe(); p != nullptr && p->attached) {
    core_->state().touch(*p);
  } else {
    write();
  }
}

bool wire_link::flush() {
  // After the local end is closed, a PING cannot be sent any more.
  if (ended_ || writing_ || deaf_ || parting_.shut()) {
    return true;
  }
  if (written_in_ == core_->turn_number() && connection_.has_output(out())) {
    return false;
  }
  const auto keep = read_before_writing();
  write();
  return ended_ || writing_ || deaf_ || parting_.shut() || !connection_.has_output(out());
}

// Returns an owner of this link for the caller, because reading may end the link.
std::shared_ptr<wire_link> wire_link::read_before_writing() {
  const auto* const p = own_pipe();
  if (!core_->state().reads_before_writing() || p == nullptr || p->out.empty() ||
      parting_.begun()) {
    return nullptr;
  }
  auto keep = self();
  listen();
  or_end([this] { settle(); });
  return keep;
}

void wire_link::write() {
  if (ended_ || writing_ || deaf_ || parting_.shut()) {
    return;
  }
  written_in_ = core_->turn_number();
  std::array<connection::piece, connection::max_pieces> pieces;
  auto& queue = out();
  if (const auto count = connection_.output(pieces, queue); count != 0) {
    std::size_t offered = 0;
    for (std::size_t i = 0; i < count; ++i) {
      offered += pieces[i].size();
    }
    error_code ec;
    const auto written = transport::write_some(stream_, std::span{pieces}.first(count), ec);
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
  if (!writing_ && parting_.shuts(connection_.traffic(), !deaf_ && connection_.has_output(queue))) {
    error_code ignored;
    stream_.shutdown(transport::stream::shutdown_send, ignored);
  }
}

void wire_link::tell(bool subscribe, std::string_view topic) {
  if (subscribe) {
    connection_.subscribe(topic);
  } else {
    connection_.cancel(topic);
  }
}

void wire_link::cut_off() {
  deaf_ = true;
  error_code ignored;
  stream_.shutdown(transport::stream::shutdown_both, ignored);
}

void wire_link::wait_writable() {
  try {
    stream_.async_wait(transport::stream::wait_write, [self = self()](error_code ec) {
      self->writing_ = false;
      if (self->ended_) {
        return;
      }
      self->or_end([&] {
        self->core_->turn([&] { ec ? self->end(errc::connection_lost) : self->write_soon(); });
      });
    });
    writing_ = true;
  } catch (const std::bad_alloc&) {
    cut_off();
  }
}

void wire_link::resume() {
  const auto keep = self();
  or_end([this] {
    process();
    settle();
  });
}

void wire_link::probe() {
  connection_.probe(clock::now(), acknowledged());
  write_soon();
  arm_deadline();
}

void wire_link::close(error_code reason) {
  const auto keep = self();
  connection_.close(reason);
  process();
}

void wire_link::finish() {
  parting_.begin();
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
  if (deaf_) {
    end(errc::socket_closed);
    return;
  }
  wait_readable();
}

connection::acknowledgement wire_link::acknowledged() {
  const auto told = transport::acknowledged(stream_.native_handle());
  return {.octets = told.octets, .complete = told.complete};
}

void wire_link::arm_deadline() {
  // After the peer has closed its end, it cannot answer a heartbeat.
  const auto due = parting_.listens() ? connection_.next_deadline() : parting_.next_look();
  if (due == timer_due_) {
    return;
  }
  timer_due_ = due;
  if (!due) {
    timer_.reset();
    return;
  }
  timer_.emplace(core_->executor(), *due);
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

void wire_link::on_deadline() {
  timer_due_.reset();
  if (!parting_.listens()) {
    part();
    return;
  }
  // After a delay of the event loop, the peer's answer may wait in the kernel.
  listen();
  if (!ended_) {
    connection_.on_deadline(clock::now(), acknowledged());
    process();
  }
}

void wire_link::end(error_code reason) {
  if (ended_) {
    return;
  }
  ended_ = true;
  const auto keep = self();
  report_end(reason);
  abandon();
  detach(reason);
}

peer_info wire_link::known_peer() {
  return {.type = connection_.peer_type(),
          .routing_id = std::string{connection_.peer_routing_id()},
          .address = transport::remote_address(stream_),
          .properties = connection_.peer_metadata(),
          .credentials = transport::remote_credentials(stream_)};
}

void wire_link::abandon() noexcept {
  ended_ = true;
  connection_.drop_unread();
  charge(0);
  half_message_.reset();
  error_code ignored;
  stream_.close(ignored);
  timer_.reset();
}

}  // namespace zmtp
