#include "mdp/worker_state.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace mdp {

namespace {

using namespace std::chrono_literals;

worker_options workable(worker_options options) {
  options.in_flight = std::max<std::size_t>(options.in_flight, 1);
  return options;
}

}  // namespace

worker_state::worker_state(const worker_options& options)
    : options_{workable(options)},
      dialect_{dialect_of(options.protocol)},
      liveness_{options.heartbeat, options.liveness} {}

void worker_state::on_attached(bool takes_nacks, time_point now, actions& out,
                               bool sends_principals) {
  end_conversation();
  if (draining_) {
    return;
  }
  in_conversation_ = true;
  takes_nacks_ = takes_nacks;
  with_principals_ = sends_principals && options_.reads_principals;
  busy_heartbeats_ = false;
  last_ = {now, now};
  out.sends.push_back(make_ready(options_.protocol, options_.service));
}

void worker_state::on_message(zmtp::message&& m, time_point now, actions& out) {
  if (!in_conversation_) {
    return;
  }
  const auto input = parse_for_worker(m, dialect_, with_principals_);
  if (!input) {
    ignore(input.error());
    return;
  }
  last_.received = now;
  if (const auto* asked = std::get_if<broker_request>(&*input)) {
    take_request(m, *asked, now, out);
  } else if (std::holds_alternative<broker_disconnect>(*input)) {
    end_conversation();
    out.reopen = 0ms;
    go_if_drained(out);
  } else if (!hands_.empty()) {
    busy_heartbeats_ = true;
  }
}

void worker_state::take_request(zmtp::message& m, const broker_request& asked, time_point now,
                                actions& out) {
  const bool surplus = hands_.size() >= options_.in_flight;
  if (draining_ || surplus) {
    if (surplus) {
      ignore(errc::surplus_request);
    }
    if (takes_nacks_) {
      out.sends.push_back(make_nack(options_.protocol, nack_reason::refused, asked.address));
      last_.sent = now;
    }
    return;
  }
  hands_.push_back({++last_id_, std::string{asked.address}});
  m.pop_front();
  m.pop_front();
  out.requests.push_back({last_id_, std::move(m), asked.principal});
}

void worker_state::on_detached(actions& out) {
  if (in_conversation_) {
    end_conversation();
    out.reopen = 0ms;
    go_if_drained(out);
  }
}

boost::system::error_code worker_state::reply(std::uint64_t request, zmtp::message&& body,
                                              time_point now, actions& out) {
  return send_reply(request, body, true, now, out);
}

boost::system::error_code worker_state::reply_in_part(std::uint64_t request, zmtp::message&& body,
                                                      time_point now, actions& out) {
  if (options_.protocol == version::v01) {
    return errc::partial_not_possible;
  }
  return send_reply(request, body, false, now, out);
}

boost::system::error_code worker_state::send_reply(std::uint64_t request, zmtp::message& body,
                                                   bool final, time_point now, actions& out) {
  const auto at = in_flight(request);
  if (at == hands_.end()) {
    return errc::no_request;
  }
  if (body.empty()) {
    return errc::no_body;
  }
  if (body.size() > max_frames) {
    return errc::too_many_frames;
  }
  push_worker_reply(body, options_.protocol, final, at->address);
  out.sends.push_back(std::move(body));
  last_.sent = now;
  if (final) {
    end_request(at, now, out);
  }
  return {};
}

boost::system::error_code worker_state::give_back(std::uint64_t request, nack_reason reason,
                                                  time_point now, actions& out) {
  const auto at = in_flight(request);
  if (at == hands_.end()) {
    return errc::no_request;
  }
  if (takes_nacks_) {
    out.sends.push_back(make_nack(options_.protocol, reason, at->address));
    last_.sent = now;
    end_request(at, now, out);
  } else {
    end_conversation();
    out.reopen = 0ms;
    go_if_drained(out);
  }
  return {};
}

std::vector<worker_state::held>::iterator worker_state::in_flight(std::uint64_t request) {
  return std::find_if(hands_.begin(), hands_.end(),
                      [&](const held& one) { return one.id == request; });
}

// The broker was told how the request ended. In 0.1 its countdown was suspended, so it starts now.
void worker_state::end_request(std::vector<held>::iterator at, time_point now, actions& out) {
  if (countdown_suspended()) {
    last_.received = now;
  }
  hands_.erase(at);
  go_if_drained(out);
}

void worker_state::drain(time_point now, actions& out) {
  if (std::exchange(draining_, true)) {
    return;
  }
  if (in_conversation_ && takes_nacks_) {
    out.sends.push_back(make_drain(options_.protocol));
    last_.sent = now;
  } else {
    go_if_drained(out);
  }
}

// A broker that takes DRAIN may have sent requests before it read DRAIN. The worker receives and
// refuses these before the broker's DISCONNECT, which ends the drain.
void worker_state::go_if_drained(actions& out) {
  const bool broker_ends_it = in_conversation_ && takes_nacks_;
  if (draining_ && hands_.empty() && !broker_ends_it) {
    stop(out);
    out.reopen.reset();
    out.drained = true;
  }
}

void worker_state::stop(actions& out) {
  if (in_conversation_ && options_.say_disconnect.value_or(options_.protocol == version::v02)) {
    out.sends.push_back(make_disconnect(dialect_));
  }
  end_conversation();
}

void worker_state::end_conversation() noexcept {
  in_conversation_ = false;
  hands_.clear();
}

// The Guide's broker sends heartbeats only to idle workers. So a busy worker does not count its
// silence, unless the broker has sent a heartbeat to this worker while it was busy.
bool worker_state::countdown_suspended() const noexcept {
  return options_.protocol == version::v01 && !hands_.empty() && !busy_heartbeats_;
}

std::optional<worker_state::time_point> worker_state::next_deadline() const noexcept {
  if (!in_conversation_) {
    return std::nullopt;
  }
  const auto heartbeat_at = liveness_.heartbeat_at(last_);
  return countdown_suspended() ? heartbeat_at : std::min(heartbeat_at, liveness_.dead_at(last_));
}

void worker_state::on_deadline(time_point now, actions& out) {
  const auto due = next_deadline();
  if (!due) {
    return;
  }
  liveness_.on_deadline(*due, now);
  if (!countdown_suspended() && liveness_.dead_at(last_) <= now) {
    end_conversation();
    out.reopen = options_.reconnect_delay;
    go_if_drained(out);
    return;
  }
  if (liveness_.heartbeat_at(last_) <= now) {
    out.sends.push_back(make_heartbeat(dialect_));
    last_.sent = now;
  }
}

}  // namespace mdp
