// The part of a server of a pair that decides its role: the node of bstar, and the witness.

#include "chp/pair_core.h"

#include <utility>

namespace chp {

bstar::node_handlers replicated_server::core::node_handlers() {
  bstar::node_handlers handlers{.on_active = bound(&core::on_active),
                                .on_passive = bound(&core::on_passive),
                                .on_event = bound(&core::on_pair_event),
                                .on_peer = bound(&core::on_peer),
                                .on_error = handlers_.on_pair_error};
  if (witness_) {
    handlers.acquire = bound(&core::acquire);
  }
  return handlers;
}

bool replicated_server::core::vote() {
  tell_node();
  return node_->vote();
}

void replicated_server::core::check_pause() {
  tell_node();
  node_->check_pause();
}

// The node decides by what this server has.
void replicated_server::core::tell_node() {
  const auto end = state_->number();
  if (std::exchange(sent_position_, end) != end) {
    node_->set_position(end, static_cast<bstar::epoch>(epoch_of(end)));
  }
  node_->set_data_lost(state_->lacks_data() && state_->had_data(node_->status().current));
  node_->set_declines(state_->declines());
}

void replicated_server::core::on_active(bstar::epoch epoch) {
  server_->act([epoch](server_state& s, server_core::clock::time_point now, server_actions& out) {
    s.activate(epoch, now, out);
  });
  if (handlers_.on_active) {
    handlers_.on_active(epoch);
  }
}

void replicated_server::core::on_passive(bstar::passive_reason why) {
  server_->act([](server_state& s, server_core::clock::time_point now, server_actions& out) {
    s.deactivate(now, out);
  });
  if (handlers_.on_passive) {
    handlers_.on_passive(why);
  }
}

void replicated_server::core::on_pair_event(bstar::event event) {
  switch (event) {
    case bstar::event::suspended:
      server_->act([](server_state& s, server_core::clock::time_point, server_actions& out) {
        s.suspend(out);
      });
      break;
    case bstar::event::resumed:
      // In the epoch that it had; in a later one on_active() has come before.
      on_active(node_->status().current);
      break;
    case bstar::event::peer_unresponsive:
      server_->act([](server_state& s, server_core::clock::time_point, server_actions&) {
        s.on_peer_unresponsive();
      });
      break;
    default: break;
  }
  if (handlers_.on_pair_event) {
    handlers_.on_pair_event(event);
  }
}

void replicated_server::core::on_peer(const bstar::peer_report& report) {
  if (report.more) {
    state_->on_peer_state({.is_active = report.state == bstar::peer_state::active,
                           .lacks_data = report.more->lacks_data,
                           .declines = report.more->declines},
                          report.more->position);
    tell_node();
  }
}

// The witness.

void replicated_server::core::acquire(bstar::epoch which, std::function<void(bool)> done) {
  acquired_ = std::move(done);
  server_->act([which](server_state& s, server_core::clock::time_point, server_actions&) {
    s.acquire(which);
  });
}

void replicated_server::core::ask_witness(const witness_state::attempt& what) {
  witness_->replace(what.from, what.to,
                    [weak = weak_from_this()](zmtp::error_code ec, const membership& record) {
                      if (const auto self = weak.lock()) {
                        self->server_->act([&](server_state& s, server_core::clock::time_point now,
                                               server_actions&) { s.on_witness(ec, record, now); });
                      }
                    });
}

void replicated_server::core::on_epoch(const epoch_answer& answer) {
  if (!answer.is_granted) {
    // The next attempt must be above the epoch of the record.
    node_->set_position(state_->number(), static_cast<bstar::epoch>(answer.known));
  }
  if (const auto done = std::exchange(acquired_, nullptr)) {
    done(answer.is_granted);
  }
}

}  // namespace chp
