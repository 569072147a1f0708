#include "zmtp/engine/link.h"

#include "zmtp/conversation/reconnect_backoff.h"
#include "zmtp/metadata.h"
#include "zmtp/socket_type.h"

#include <utility>

namespace zmtp {

metadata own_properties(const socket_state& state) {
  metadata own;
  own.add("Socket-Type", to_string(state.type()));
  if (announces_routing_id(state.type())) {
    own.add("Identity", state.options().routing_id);
  }
  announce_extensions(own, state.options().extensions);
  return own;
}

error_code peer_link::decide_admission(const peer_info& who) {
  const auto verdict = core_->state().on_admission(pipe_, who);
  if (verdict.probe) {
    if (auto* holder = core_->links().of(*verdict.probe)) {
      holder->probe();
    }
  }
  if (verdict.evict) {
    if (auto* holder = core_->links().of(*verdict.evict)) {
      holder->close(errc::duplicate_routing_id);
    }
  }
  return verdict.refused;
}

pipe* peer_link::attach(peer_info who) {
  auto& state = core_->state();
  if (!pipe_) {
    auto& opened = state.open_pipe(false);
    opened.counters = early_;
    pipe_ = opened.id;
  } else if (auto* last = own_pipe()) {
    const auto next = state.pipe_for(*last, who).id;
    if (std::exchange(pipe_, next) != next && owner_) {
      owner_->on_moved(next);
    }
  }
  auto* const p = own_pipe();
  if (p != nullptr) {
    ready_at_ = core_->now();
    if (owner_) {
      owner_->on_handshake_over(*this);
    }
    core_->links().attach(p->id, *this);
    state.on_attached(*p, std::move(who), core_->random());
    report(monitor_event::kind::attached);
  }
  return p;
}

void peer_link::report(monitor_event::kind what, error_code reason) {
  core_->monitors().report([&] {
    monitor_event event;
    event.what = what;
    event.reason = reason;
    event.peer_error = peer_error();
    if (endpoint_) {
      event.endpoint = endpoint_->to_string();
    }
    if (const auto* p = own_pipe(); p != nullptr && p->attached) {
      event.peer = p->id;
      event.info = p->info;
    } else {
      event.info = known_peer();
    }
    return event;
  });
}

void peer_link::report_start() {
  report(pipe_ ? monitor_event::kind::connected : monitor_event::kind::accepted);
}

void peer_link::report_end(error_code reason, error_code reported) {
  report(ready_at_                   ? monitor_event::kind::detached
         : is_refusal(reason, false) ? monitor_event::kind::refused
                                     : monitor_event::kind::handshake_failed,
         reported ? reported : reason);
}

void peer_link::detach(error_code reason) {
  core_->state().on_ended(reason);
  if (auto* p = own_pipe(); p != nullptr && p->attached) {
    core_->links().detach(p->id);
    core_->state().on_detached(*p);
  }
  std::optional<std::chrono::milliseconds> lasted;
  if (ready_at_) {
    lasted = std::chrono::duration_cast<std::chrono::milliseconds>(core_->now() - *ready_at_);
  }
  core_->links().remove(*this);
  if (const auto owner = std::exchange(owner_, nullptr)) {
    if (!ready_at_) {
      owner->on_handshake_over(*this);
    }
    owner->on_end(reason, lasted);
  }
  core_->check_finished();
}

}  // namespace zmtp
