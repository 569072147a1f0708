#include "chp/server_visit.h"

#include <algorithm>

namespace chp {

using namespace std::chrono_literals;

server_visit::server_visit(const client_options& options)
    : ask_interval_{std::max<std::chrono::milliseconds>(50ms, options.heartbeat / 4)},
      answer_timeout_{options.answer_timeout.value_or(
          std::max<std::chrono::milliseconds>(1s, 4 * options.heartbeat))},
      server_ttl_{options.server_ttl},
      asks_{options.snapshots != snapshot_kind::none} {}

void server_visit::give(std::optional<std::chrono::milliseconds> time, time_point now) noexcept {
  timeout_ = time;
  expiry_ = time ? std::optional{now + *time} : std::nullopt;
}

void server_visit::begin(time_point now, unsigned divisor) {
  phase_ = phase::asking;
  asked_ = false;
  // Servers without HUGZ do not show that the subscription is active.
  counts_ = !server_ttl_;
  next_ask_.reset();
  give(answer_timeout_ / divisor, now);
}

// Once per DEALER, because heartbeats of a server that does not reply are not a reply.
void server_visit::extend_timeout(time_point now) noexcept {
  if (phase_ == phase::asking && timeout_ != answer_timeout_) {
    give(answer_timeout_, now);
  }
}

server_visit::action server_visit::renew(time_point now) {
  begin(now, 1);
  counts_ = true;
  return action::renew;
}

server_visit::action server_visit::begin_again(time_point now) { return renew(now); }

server_visit::action server_visit::on_subscriber_attached(time_point now) {
  if (asks_) {
    return action::nothing;
  }
  phase_ = phase::following;
  give(server_ttl_, now);
  return action::adopt;
}

server_visit::action server_visit::on_snapshot_attached(time_point now) {
  asked_ = true;
  give(timeout_, now);
  next_ask_ = now + ask_interval_;
  return action::ask;
}

server_visit::action server_visit::on_publication(time_point now) {
  if (phase_ == phase::following) {
    give(server_ttl_, now);
    return action::nothing;
  }
  extend_timeout(now);
  if (counts_) {
    return action::nothing;
  }
  if (asked_) {
    return renew(now);
  }
  counts_ = true;
  return action::nothing;
}

bool server_visit::on_entry(time_point now) {
  next_ask_.reset();
  give(server_ttl_, now);
  if (counts_) {
    phase_ = phase::receiving;
  }
  return counts_;
}

server_visit::action server_visit::on_end(time_point now) {
  next_ask_.reset();
  give(server_ttl_, now);
  if (!counts_) {
    return action::nothing;
  }
  phase_ = phase::following;
  return action::adopt;
}

std::optional<server_visit::time_point> server_visit::next_deadline() const noexcept {
  return next_ask_ && expiry_ ? std::min(next_ask_, expiry_) : next_ask_ ? next_ask_ : expiry_;
}

server_visit::action server_visit::on_deadline(time_point now) {
  if (expiry_ && now >= *expiry_) {
    if (now < *expiry_ + *timeout_) {
      return action::leave;
    }
    give(timeout_, now);
  }
  if (next_ask_ && now >= *next_ask_) {
    next_ask_ = now + ask_interval_;
    return action::ask;
  }
  return action::nothing;
}

}  // namespace chp
