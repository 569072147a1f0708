#include "zmtp/engine/stream_link.h"

#include "zmtp/mechanism/security.h"

#include <new>
#include <utility>

namespace zmtp {

namespace {

// Reads per readiness event. A second one saves a wait if the first was full.
constexpr int reads_per_turn = 2;

}  // namespace

stream_link::stream_link(std::shared_ptr<socket_core> core,
                         std::unique_ptr<transport::stream> stream, std::optional<peer_id> pipe)
    : peer_link{std::move(core), pipe},
      stream_{std::move(stream)},
      conversation_{core_->state().type(),
                    make_mechanism(core_->options().security,
                                   pipe ? handshake_role::connecting : handshake_role::accepting,
                                   own_properties(core_->state()), core_->options().limit,
                                   core_->secret_random()),
                    core_->options().limit, core_->options().heartbeat, core_->now()},
      reader_{*stream_, conversation_, *core_},
      writer_{*stream_, conversation_},
      authenticator_{core_->options().authenticator} {}

void stream_link::start() {
  reader_.belongs_to(self());
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
  return p != nullptr ? p->out : core_->no_queues().out;
}

void stream_link::wait_readable() {
  const bool discards = graceful_close_.begun() && conversation_.traffic();
  if (!reader_.waiting() && !ended_ && graceful_close_.listens() &&
      (discards || conversation_.listening())) {
    reader_.wait(self());
  }
}

void stream_link::on_ready(transport::stream_side side, error_code ec) {
  side == transport::stream_side::read ? on_readable(ec) : on_writable(ec);
}

void stream_link::on_readable(error_code ec) {
  reader_.on_readable();
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
  if (!reader_.compact()) {
    core_->turn([this] { close(errc::partial_message_evicted); });
    return;
  }
  if (auto* p = own_pipe()) {
    p->in.compact();
  }
  reader_.account();
  // Report the messages that this link has received.
  core_->schedule();
  wait_readable();
}

void stream_link::read() {
  if (graceful_close_.begun() && conversation_.traffic()) {
    discard();
    return;
  }
  for (int i = 0; i < reads_per_turn && !ended_; ++i) {
    const auto taken = reader_.read();
    switch (taken.what) {
      case stream_reader::outcome::nothing: return;
      case stream_reader::outcome::failed: end(taken.reason); return;
      case stream_reader::outcome::evicted: close(errc::partial_message_evicted); return;
      case stream_reader::outcome::some:
      case stream_reader::outcome::full: break;
    }
    core_->state().count_read(counters(), taken.bytes);
    process();
    if (taken.what != stream_reader::outcome::full) {
      return;
    }
  }
}

void stream_link::evict() {
  if (reader_.evicted()) {
    core_->turn([this] { close(errc::partial_message_evicted); });
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
  if (ended_ || !writer_.ready()) {
    return true;
  }
  if (writer_.left_over(out(), core_->turn_number())) {
    return false;
  }
  const auto keep = read_before_writing();
  write();
  return ended_ || !writer_.ready() || !conversation_.has_output(out());
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
  if (ended_ || !writer_.ready()) {
    return;
  }
  auto& queue = out();
  const auto written = writer_.write(queue, core_->turn_number());
  auto* const p = own_pipe();
  if (written.bytes != 0) {
    core_->state().count_written(counters(), written.bytes);
    if (p != nullptr) {
      core_->state().on_written(*p);
    }
  }
  if (conversation_.has_framing()) {
    reader_.account();
  }
  if (written.full) {
    writer_.wait(self());
  }
  if (writer_.broken() && p != nullptr) {
    core_->state().take_rest(*p);
  }
  if (!writer_.waiting() &&
      graceful_close_.shuts(conversation_.traffic(),
                            !writer_.broken() && conversation_.has_output(queue))) {
    writer_.shut();
  }
}

void stream_link::tell(bool subscribe, std::string_view topic) {
  if (subscribe) {
    conversation_.subscribe(topic);
  } else {
    conversation_.cancel(topic);
  }
}

void stream_link::on_writable(error_code ec) {
  writer_.on_writable();
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
  conversation_.probe(core_->now(), acknowledged());
  write_soon();
  arm_deadline();
}

conversation::acknowledgement stream_link::acknowledged() {
  const auto notified = stream_->acknowledged();
  return {.bytes = notified.bytes, .complete = notified.complete};
}

void stream_link::arm_deadline() {
  // After the peer has closed its end, it cannot answer a heartbeat.
  core_->set_deadline(*this, graceful_close_.listens() ? conversation_.next_deadline()
                                                       : graceful_close_.next_look());
}

void stream_link::on_time() {
  const auto keep = self();
  or_end([this] {
    core_->turn([this] { on_deadline(); });
    settle();
  });
}

void stream_link::on_deadline() {
  if (!graceful_close_.listens()) {
    part();
    return;
  }
  // After a delay of the event loop, the peer's answer may wait in the kernel.
  listen();
  if (!ended_) {
    conversation_.on_deadline(core_->now(), acknowledged());
    process();
  }
}

peer_info stream_link::known_peer() {
  auto remote = stream_->remote();
  // The answer of the authenticator replaces the name in the certificate.
  auto accepted = admission_
                      ? admission_->accepted()
                      : authenticator::principal{.user_id = std::move(remote.certificate_name)};
  const auto shown = conversation_.shown();
  const auto* const key = std::get_if<curve_credentials>(&shown);
  return {.type = conversation_.peer_type(),
          .routing_id = std::string{conversation_.peer_routing_id()},
          .address = std::move(remote.address),
          .properties = conversation_.peer_metadata(),
          .process = remote.process,
          .mechanism = std::string{conversation_.mechanism_name()},
          .public_key = key != nullptr ? std::optional{key->public_key} : std::nullopt,
          .user_id = std::move(accepted.user_id),
          .user_properties = std::move(accepted.properties)};
}

}  // namespace zmtp
