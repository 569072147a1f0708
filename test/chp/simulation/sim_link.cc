#include "test/chp/simulation/sim_link.h"

#include "test/chp/simulation/sim_socket.h"
#include "zmtp/mechanism/security.h"
#include "zmtp/metadata.h"
#include "zmtp/socket_type.h"

#include <array>
#include <span>
#include <string>
#include <utility>
#include <variant>

namespace zmtp::simulation {

namespace {

constexpr int reads_per_turn = 2;

std::unique_ptr<mechanism> make_mechanism(const socket_state& state, bool accepted) {
  metadata own;
  own.add("Socket-Type", to_string(state.type()));
  if (announces_routing_id(state.type())) {
    own.add("Identity", state.options().routing_id);
  }
  announce_extensions(own, state.options().extensions);
  return zmtp::make_mechanism(state.options().security,
                              accepted ? handshake_role::accepting : handshake_role::connecting,
                              std::move(own), state.options().limit);
}

}  // namespace

sim_link::sim_link(sim_socket& owner, std::shared_ptr<virtual_connection> stream, end_of_stream e,
                   std::optional<peer_id> pipe, end_handler on_end)
    : socket_{&owner},
      stream_{std::move(stream)},
      end_of_stream_{e},
      connection_{owner.state().type(), make_mechanism(owner.state(), !pipe),
                  owner.state().options().limit, owner.state().options().heartbeat,
                  owner.net().now()},
      pipe_{pipe},
      on_end_{std::move(on_end)} {}

conversation::time_point sim_link::now() const noexcept { return socket_->net().now(); }

void sim_link::start() {
  socket_->net().here().note(
      "link: socket, stream, end",
      {socket_->number(), stream_->id(), static_cast<std::uint64_t>(end_of_stream_)});
  write_soon();
  wait_readable();
  arm_deadline();
}

pipe* sim_link::own_pipe() const noexcept {
  return pipe_ ? socket_->state().find(*pipe_) : nullptr;
}

send_queue& sim_link::out() noexcept {
  auto* p = own_pipe();
  return p != nullptr ? p->out : no_out_;
}

void sim_link::wait_readable() {
  if (reading_ || ended_ || connection_.over() || connection_.blocked()) {
    return;
  }
  reading_ = true;
  // The stream, which the link keeps, must not keep the link.
  stream_->wait_readable(end_of_stream_, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self && !self->ended_) {
      self->reading_ = false;
      self->socket_->turn([&] { self->read(); });
      self->settle();
    }
  });
}

void sim_link::settle() {
  if (ended_) {
    return;
  }
  connection_.settle();
  if (auto* p = own_pipe()) {
    p->in.compact();
  }
  wait_readable();
}

void sim_link::read() {
  for (int i = 0; i < reads_per_turn && !ended_; ++i) {
    const auto to = connection_.prepare();
    if (to.empty()) {
      return;
    }
    const auto got = stream_->read_some(end_of_stream_, to);
    if (got.why_none == virtual_connection::fault::would_block) {
      return;
    }
    if (got.why_none != virtual_connection::fault::none) {
      end(errc::connection_lost);
      return;
    }
    connection_.commit(got.count, now());
    process();
    if (got.count < to.size()) {
      return;
    }
  }
}

void sim_link::decode(pipe* p) {
  if (p == nullptr) {
    connection_.receive_into(no_in_);
    return;
  }
  connection_.receive_into(p->in);
  p->blocked = connection_.blocked();
  p->rest = p->blocked                    ? unread::messages
            : connection_.message_begun() ? unread::beginning
                                          : unread::nothing;
  socket_->state().on_received(*p);
}

void sim_link::process() {
  while (!ended_) {
    decode(own_pipe());
    auto event = connection_.next_event();
    if (!event) {
      break;
    }
    on_event(std::move(*event));
  }
  if (ended_) {
    return;
  }
  if (connection_.has_output(out())) {
    write_soon();
  }
  arm_deadline();
}

void sim_link::on_event(conversation::event&& event) {
  struct {
    sim_link& self;
    void operator()(const conversation::authentication_requested&) const {
      self.connection_.authenticated();
    }
    void operator()(const conversation::admission_requested&) const { self.on_admission(); }
    void operator()(const conversation::ready&) const { self.on_ready(); }
    void operator()(const conversation::subscription& s) const { self.on_subscription(s); }
    void operator()(const conversation::not_reading&) const {
      if (auto* p = self.own_pipe()) {
        self.socket_->state().on_not_reading(*p);
      }
    }
    void operator()(const conversation::closed& c) const {
      self.write();
      self.end(c.reason);
    }
  } act{*this};
  std::visit(act, event);
}

void sim_link::on_admission() {
  peer_info info;
  info.type = connection_.peer_type();
  info.routing_id = connection_.peer_routing_id();
  const auto verdict = socket_->state().on_admission(pipe_, info);
  if (verdict.probe) {
    if (auto* holder = socket_->link_of(*verdict.probe)) {
      holder->probe();
    }
  }
  if (verdict.evict) {
    if (auto* holder = socket_->link_of(*verdict.evict)) {
      holder->close(errc::duplicate_routing_id);
    }
  }
  if (verdict.refused) {
    connection_.refuse(verdict.refused);
  } else {
    connection_.admit();
  }
}

void sim_link::on_ready() {
  auto& state = socket_->state();
  if (!pipe_) {
    pipe_ = state.open_pipe(false).id;
  }
  auto* const p = own_pipe();
  if (p == nullptr) {
    connection_.close(errc::socket_closed);
    return;
  }
  ready_at_ = now();
  socket_->attach(p->id, shared_from_this());
  peer_info info;
  info.type = connection_.peer_type();
  info.routing_id = connection_.peer_routing_id();
  info.properties = connection_.peer_metadata();
  state.on_attached(*p, std::move(info), socket_->random());
  for (const auto& m : state.greetings()) {
    connection_.greet(m);
  }
  for (const auto topic : state.topics()) {
    connection_.subscribe(topic);
  }
}

void sim_link::on_subscription(const conversation::subscription& s) {
  if (auto* p = own_pipe()) {
    socket_->state().on_subscription(*p, s.subscribe, s.topic);
  }
}

void sim_link::tell(bool subscribe, std::string_view topic) {
  if (subscribe) {
    connection_.subscribe(topic);
  } else {
    connection_.cancel(topic);
  }
}

void sim_link::write_soon() {
  if (auto* p = own_pipe(); p != nullptr && p->attached) {
    socket_->state().touch(*p);
  } else {
    write();
  }
}

bool sim_link::flush() {
  if (ended_ || writing_ || send_broken_) {
    return true;
  }
  if (last_write_turn_ == socket_->turn_number() && connection_.has_output(out())) {
    return false;
  }
  write();
  return ended_ || writing_ || send_broken_ || !connection_.has_output(out());
}

void sim_link::write() {
  if (ended_ || writing_ || send_broken_) {
    return;
  }
  last_write_turn_ = socket_->turn_number();
  std::array<conversation::piece, conversation::max_pieces> pieces;
  auto& queue = out();
  const auto count = connection_.output(pieces, queue);
  if (count == 0) {
    return;
  }
  std::size_t offered = 0;
  for (std::size_t i = 0; i < count; ++i) {
    offered += pieces[i].size();
  }
  const auto put = stream_->write_some(end_of_stream_, std::span{pieces}.first(count));
  if (put.why_none == virtual_connection::fault::lost) {
    send_broken_ = true;
    return;
  }
  connection_.advance(put.count, queue);
  if (auto* p = own_pipe(); p != nullptr && put.count != 0) {
    socket_->state().on_written(*p);
  }
  if (put.count < offered) {
    wait_writable();
  }
}

void sim_link::wait_writable() {
  writing_ = true;
  stream_->wait_writable(end_of_stream_, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self && !self->ended_) {
      self->writing_ = false;
      self->socket_->turn([&] { self->write_soon(); });
    }
  });
}

void sim_link::resume() {
  const auto self = shared_from_this();
  process();
  settle();
}

void sim_link::probe() {
  connection_.probe(now(), acknowledged());
  write_soon();
  arm_deadline();
}

void sim_link::close(error_code reason) {
  const auto self = shared_from_this();
  connection_.close(reason);
  process();
}

void sim_link::abandon() { end(errc::socket_closed); }

bool sim_link::written() {
  return !connection_.has_output(out()) && stream_->acknowledged(end_of_stream_);
}

conversation::acknowledgement sim_link::acknowledged() const {
  return {.bytes = stream_->reached(end_of_stream_),
          .complete = stream_->acknowledged(end_of_stream_)};
}

void sim_link::arm_deadline() {
  const auto due = connection_.next_deadline();
  if (due == timer_due_) {
    return;
  }
  if (timer_) {
    socket_->net().here().events.cancel(*timer_);
    timer_.reset();
  }
  timer_due_ = due;
  if (!due) {
    return;
  }
  timer_ = socket_->net().after(socket_->host(), *due - now(), [self = shared_from_this(), due] {
    if (self->ended_ || self->timer_due_ != due) {
      return;
    }
    self->socket_->turn([&] {
      self->timer_due_.reset();
      self->read();
      if (!self->ended_) {
        self->connection_.on_deadline(self->now(), self->acknowledged());
        self->process();
      }
    });
    self->settle();
  });
}

void sim_link::end(error_code reason) {
  if (ended_) {
    return;
  }
  ended_ = true;
  const auto self = shared_from_this();
  stream_->close(end_of_stream_);
  if (timer_) {
    socket_->net().here().events.cancel(*timer_);
  }
  socket_->state().on_ended(reason);
  if (auto* p = own_pipe(); p != nullptr && p->attached) {
    p->blocked = false;
    socket_->detach(p->id);
    socket_->state().on_detached(*p);
  }
  std::optional<std::chrono::milliseconds> lasted;
  if (ready_at_) {
    lasted = std::chrono::duration_cast<std::chrono::milliseconds>(now() - *ready_at_);
  }
  socket_->remove(*this);
  if (auto over = std::exchange(on_end_, nullptr)) {
    over(reason, lasted);
  }
}

}  // namespace zmtp::simulation
