#include "zmtp/pattern/pirate_worker_state.h"

#include "zmtp/pattern/call_error.h"

#include <algorithm>
#include <utility>

namespace zmtp {

namespace {

using namespace std::chrono_literals;
using kind = pirate_worker_event::kind;

pirate_worker_options workable(pirate_worker_options options) noexcept {
  options.reconnect_delay = std::max(options.reconnect_delay, 1ms);
  options.longest_reconnect_delay =
      std::max(options.longest_reconnect_delay, options.reconnect_delay);
  return options;
}

}  // namespace

pirate_worker_state::pirate_worker_state(const pirate_worker_options& options, time_point now)
    : options_{workable(options)},
      liveness_{options_.heartbeat_interval, options_.liveness},
      last_{now, now},
      delay_{options_.reconnect_delay} {}

void pirate_worker_state::on_attached(time_point now, actions& out) {
  in_conversation_ = true;
  in_flight_.reset();
  last_.received = std::max(last_.received, now);
  say_ready(now, out);
}

void pirate_worker_state::say_ready(time_point now, actions& out) {
  last_.sent = now;
  out.sends.push_back(make_ready(options_.protocol));
  out.events.push_back({kind::ready});
}

void pirate_worker_state::on_message(message&& m, time_point now, actions& out) {
  if (!in_conversation_) {
    return;
  }
  const auto said = parse_pirate(m, options_.protocol);
  if (!said || *said == pirate_kind::ready) {
    out.events.push_back({kind::invalid});
    return;
  }
  last_.received = now;
  delay_ = options_.reconnect_delay;
  if (*said == pirate_kind::heartbeat) {
    return;
  }
  if (in_flight_) {
    out.events.push_back({kind::surplus});
    return;
  }
  auto envelope = take_front(m, envelope_size(m));
  in_flight_ = hand{++last_id_, std::move(envelope)};
  out.requests.push_back({last_id_, std::move(m)});
}

void pirate_worker_state::on_detached(actions& out) {
  if (std::exchange(in_conversation_, false)) {
    in_flight_.reset();
    out.reopen = 0ms;
  }
}

boost::system::error_code pirate_worker_state::reply(std::uint64_t request, message&& body,
                                                     time_point now, actions& out) {
  if (!in_flight_ || in_flight_->id != request) {
    return call_errc::no_request;
  }
  wrap_pirate(body, in_flight_->envelope, options_.protocol);
  out.sends.push_back(std::move(body));
  in_flight_.reset();
  last_ = {now, now};
  return {};
}

void pirate_worker_state::drop(std::uint64_t request, time_point now, actions& out) {
  if (in_flight_ && in_flight_->id == request) {
    in_flight_.reset();
    last_.received = now;
    say_ready(now, out);
  }
}

// A disconnected queue also counts as unresponsive.
std::optional<pirate_worker_state::time_point> pirate_worker_state::next_deadline() const noexcept {
  if (!paranoid() || in_flight_) {
    return std::nullopt;
  }
  const auto dead_at = liveness_.dead_at(last_);
  return in_conversation_ ? std::min(liveness_.heartbeat_at(last_), dead_at) : dead_at;
}

void pirate_worker_state::on_deadline(time_point now, actions& out) {
  const auto due = next_deadline();
  if (!due || now < *due) {
    return;
  }
  liveness_.on_deadline(*due, now);
  if (liveness_.dead_at(last_) <= now) {
    in_conversation_ = false;
    last_.received = now + delay_;  // no message can arrive before that
    out.events.push_back({kind::lost, delay_});
    out.reopen = delay_;
    delay_ = std::min(delay_ * 2, options_.longest_reconnect_delay);
  } else if (in_conversation_ && liveness_.heartbeat_at(last_) <= now) {
    last_.sent = now;
    out.sends.push_back(make_heartbeat());
    out.events.push_back({kind::heartbeat});
  }
}

}  // namespace zmtp
