#include "zmtp/pattern/pirate_worker_state.h"

#include "zmtp/pattern/call_error.h"

#include <algorithm>
#include <utility>

namespace zmtp {

namespace {

using namespace std::chrono_literals;
using kind = pirate_worker_event::kind;

pirate_worker_options workable(pirate_worker_options options) noexcept {
  options.heartbeat = std::max(options.heartbeat, 1ms);
  options.liveness = std::max(options.liveness, 1U);
  options.reconnect_delay = std::max(options.reconnect_delay, 1ms);
  options.longest_reconnect_delay =
      std::max(options.longest_reconnect_delay, options.reconnect_delay);
  return options;
}

}  // namespace

pirate_worker_state::pirate_worker_state(const pirate_worker_options& options, time_point now)
    : options_{workable(options)},
      last_received_at_{now},
      last_sent_at_{now},
      delay_{options_.reconnect_delay} {}

void pirate_worker_state::on_attached(time_point now, actions& out) {
  in_conversation_ = true;
  in_flight_.reset();
  last_received_at_ = std::max(last_received_at_, now);
  say_ready(now, out);
}

void pirate_worker_state::say_ready(time_point now, actions& out) {
  last_sent_at_ = now;
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
  last_received_at_ = now;
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
  last_received_at_ = last_sent_at_ = now;
  return {};
}

void pirate_worker_state::drop(std::uint64_t request, time_point now, actions& out) {
  if (in_flight_ && in_flight_->id == request) {
    in_flight_.reset();
    last_received_at_ = now;
    say_ready(now, out);
  }
}

pirate_worker_state::time_point pirate_worker_state::queue_dead_at() const noexcept {
  return last_received_at_ + options_.heartbeat * options_.liveness;
}

// A disconnected queue also counts as unresponsive.
std::optional<pirate_worker_state::time_point> pirate_worker_state::next_deadline() const noexcept {
  if (!paranoid() || in_flight_) {
    return std::nullopt;
  }
  return in_conversation_ ? std::min(last_sent_at_ + options_.heartbeat, queue_dead_at())
                          : queue_dead_at();
}

void pirate_worker_state::on_deadline(time_point now, actions& out) {
  const auto due = next_deadline();
  if (!due || now < *due) {
    return;
  }
  if (now - *due > options_.heartbeat) {
    last_received_at_ =
        std::max(last_received_at_, now - options_.heartbeat * (options_.liveness - 1));
  }
  if (queue_dead_at() <= now) {
    in_conversation_ = false;
    last_received_at_ = now + delay_;  // no message can arrive before that
    out.events.push_back({kind::lost, delay_});
    out.reopen = delay_;
    delay_ = std::min(delay_ * 2, options_.longest_reconnect_delay);
  } else if (in_conversation_ && last_sent_at_ + options_.heartbeat <= now) {
    last_sent_at_ = now;
    out.sends.push_back(make_heartbeat());
    out.events.push_back({kind::heartbeat});
  }
}

}  // namespace zmtp
