#include "zmtp/conversation/heartbeat.h"

#include <algorithm>

namespace zmtp {

namespace {

// Minimum time for TCP to acknowledge, so that a slow network does not look like a dead peer.
constexpr std::chrono::seconds least_timeout{2};

}  // namespace

void heartbeat::start(time_point now, bool asks) noexcept {
  asks_ = asks;
  knows_ping_ = asks;
  last_ = now;
  wait_for_silence();
}

std::optional<heartbeat::duration> heartbeat::allowed_silence() const noexcept {
  std::optional<duration> allowed;
  if (asks_ && options_->interval) {
    allowed = *options_->interval;
  }
  if (ttl_ != duration::zero()) {
    allowed = std::min(allowed.value_or(ttl_), ttl_);
  }
  return allowed;
}

bool heartbeat::expired(time_point now) const noexcept {
  return options_->strict && ttl_ != duration::zero() && now - last_ >= ttl_;
}

void heartbeat::wait_for_silence() noexcept {
  const auto allowed = allowed_silence();
  due_ = allowed ? std::optional{last_ + *allowed} : std::nullopt;
}

void heartbeat::answered() noexcept {
  asked_at_.reset();
  probing_ = false;
  reported_ = false;
  wait_for_silence();
}

result<std::string_view> heartbeat::on_ping(time_point now, const command::ping& ping) noexcept {
  if (now - second_ >= std::chrono::seconds{1}) {
    second_ = now;
    pings_ = 0;
  }
  if (++pings_ > limit_->pings_per_second) {
    return errc::ping_flood;
  }
  knows_ping_ = true;  // a peer that sends PING can answer it
  ttl_ = heartbeat_options::deciseconds{ping.ttl};
  if (ttl_ != duration::zero() && (!due_ || last_ + ttl_ < *due_)) {
    due_ = last_ + ttl_;
  }
  // libzmq also truncates a longer context.
  return ping.context.substr(0, limit_->ping_context_size);
}

heartbeat::action heartbeat::probe(time_point now, const acknowledgement& acknowledged) noexcept {
  if (probing_) {
    return action::none;
  }
  probing_ = true;
  if (!asked_at_) {
    return ask(now, least_timeout, acknowledged);
  }
  // One PING at a time. TCP still has to acknowledge that PING or later bytes.
  outstanding_ = !acknowledged.complete;
  bytes_ = acknowledged.bytes;
  look_again(now, least_timeout);
  return action::none;
}

heartbeat::action heartbeat::ask(time_point now, duration timeout,
                                 const acknowledgement& acknowledged) noexcept {
  asked_at_ = now;
  bytes_ = acknowledged.bytes;
  outstanding_ = knows_ping_ || !acknowledged.complete;
  look_again(now, timeout);
  return knows_ping_ ? action::ping : action::none;
}

void heartbeat::look_again(time_point now, duration timeout) noexcept {
  timeout_ = timeout;
  due_ = now + timeout;
  if (options_->strict && ttl_ != duration::zero()) {
    due_ = std::min(*due_, last_ + ttl_);
  }
}

heartbeat::action heartbeat::on_deadline(time_point now,
                                         const acknowledgement& acknowledged) noexcept {
  if (!due_ || now < *due_) {
    return action::none;
  }
  if (expired(now)) {
    return action::expired;
  }
  if (asked_at_) {
    return decide(now, acknowledged);
  }
  wait_for_silence();
  if (!due_ || now < *due_) {
    return action::none;
  }
  const duration timeout = options_->timeout;
  const auto hinted = ttl_ != duration::zero() && now - last_ >= ttl_;
  return ask(now, hinted ? std::min(timeout, std::max<duration>(ttl_, least_timeout)) : timeout,
             acknowledged);
}

heartbeat::action heartbeat::decide(time_point now, const acknowledgement& acknowledged) noexcept {
  const auto probed = probing_;
  if (options_->strict && !probed) {
    return action::timed_out;
  }
  const bool outstanding = !acknowledged.complete;
  const bool stirred = acknowledged.bytes != bytes_;
  if (outstanding && outstanding_ && !stirred) {
    return action::dead;
  }
  bytes_ = acknowledged.bytes;
  outstanding_ = outstanding;
  if (outstanding && !stirred) {
    // The latest bytes have not had their full time yet.
    look_again(now, timeout_);
    return action::none;
  }
  probing_ = false;
  if (!allowed_silence()) {
    asked_at_.reset();
    due_.reset();
    return action::none;
  }
  look_again(now, options_->timeout);
  if (probed || reported_) {
    return action::none;
  }
  reported_ = true;
  return action::not_reading;
}

}  // namespace zmtp
