#include "mdp/client_state.h"

#include "mdp/request_error.h"
#include "zmtp/pattern/liveness.h"
#include "zmtp/pattern/option_check.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace mdp {

namespace {

using namespace std::chrono_literals;

client_options workable(client_options options) noexcept {
  options.timeout = std::max(options.timeout, 1ms);
  options.backoff = std::max(options.backoff, 0ms);
  return options;
}

errc meaning_of(const request_error& error) noexcept {
  if (error.fault == request_fault::too_large) {
    return errc::reply_too_large;
  }
  if (error.fault == request_fault::forbidden) {
    return errc::forbidden;
  }
  if (error.fault == request_fault::not_known) {
    return errc::request_forgotten;
  }
  if (error.fault == request_fault::failed) {
    return errc::request_failed;
  }
  if (error.outcome == request_outcome::unknown) {
    return error.fault == request_fault::stopping ? errc::no_reply : errc::worker_lost;
  }
  if (error.fault == request_fault::refused) {
    return errc::request_refused;
  }
  return error.fault == request_fault::not_offered ? errc::not_offered : errc::not_taken;
}

// By default, a request that must not run twice is sent once.
unsigned default_attempts(bool idempotent) noexcept { return idempotent ? 3 : 1; }

request_key next(const request_key& key) noexcept {
  auto following = key;
  std::uint64_t counter = 0;
  std::memcpy(&counter, following.data(), sizeof counter);
  ++counter;
  std::memcpy(following.data(), &counter, sizeof counter);
  return following;
}

}  // namespace

client_state::client_state(const client_options& options, std::uint32_t seed,
                           const request_key& first_key)
    : options_{workable(options)}, random_{seed}, key_{first_key} {}

void client_state::on_attached(const broker_announcement& broker, time_point now, actions& out) {
  attached_ = true;
  on_connection_ = false;
  instance_ = broker.idempotency;
  takes_principals_ = broker.principals;
  if (!in_flight_) {
    return;
  }
  if (may_be_sent()) {
    send(now, !ever_sent_, out);
  } else {
    fail(errc::broker_replaced, out);
  }
}

void client_state::on_message(zmtp::message&& m, time_point now, actions& out) {
  const auto reply = parse_for_client(m, options_.protocol);
  if (!reply) {
    ignore(reply.error());
    return;
  }
  if (on_connection_ && reply->final && reply->service == error_service) {
    on_error(m, now, out);
    return;
  }
  if (!on_connection_ || reply->service != service_) {
    ignore(errc::unsolicited_reply);
    return;
  }
  m.pop_front();
  if (reply->final) {
    in_flight_ = on_connection_ = false;
    request_.clear();
    out.reply = std::move(m);
  } else {
    partly_answered_ = true;
    deadline_ = now + timeout_;
    out.partials.push_back(std::move(m));
  }
}

void client_state::on_error(zmtp::message& m, time_point now, actions& out) {
  m.pop_front();
  const auto error = parse_error(m);
  if (!error || error->service != service_) {
    ignore(errc::unsolicited_reply);
    return;
  }
  on_connection_ = false;
  // The broker has forgotten only older requests, so no attempt of this request has started. The
  // comparison uses milliseconds, because `memory` comes from the wire and could overflow
  // nanoseconds.
  if (error->fault == request_fault::not_known && keyed_with_ &&
      std::chrono::floor<std::chrono::milliseconds>(now - first_sent_at_) < error->memory) {
    send(now, true, out);
    return;
  }
  if (error->fault == request_fault::stopping && error->outcome == request_outcome::refused &&
      !partly_answered_) {
    // Continues as if this attempt had not been sent: at another broker, or at the successor of
    // this one. If the broker knows the key, it has refused all attempts.
    ever_sent_ = sent_before_ && !keyed_with_;
    reopen(0ms, true, out);
    return;
  }
  // Without a key, the refusal of this attempt does not include earlier attempts.
  const auto unknown = error->outcome == request_outcome::refused && sent_before_ && !keyed_with_;
  fail(partly_answered_ ? errc::reply_cut_short
       : unknown        ? errc::no_reply
                        : meaning_of(*error),
       out);
}

void client_state::on_detached(actions& out) {
  if (!attached_) {
    return;
  }
  if (in_flight_ && partly_answered_) {
    fail(errc::reply_cut_short, out);
  } else if (in_flight_ && on_connection_) {
    // Limits the attempts at a broker that disconnects on each request.
    if (attempts_ >= most_attempts_ || !may_be_repeated()) {
      fail(errc::no_reply, out);
    }
    ++attempts_;
  }
  reopen(0ms, !bound(), out);
}

void client_state::on_unreachable(actions& out) {
  if (!attached_) {
    reopen(0ms, !bound(), out);
  }
}

boost::system::error_code client_state::ask(std::string_view service, zmtp::message&& body,
                                            const request_options& how, time_point now,
                                            actions& out) {
  if (in_flight_) {
    return errc::request_in_flight;
  }
  if (const auto fault = check_service(service)) {
    return fault;
  }
  if (std::max(how.timeout.value_or(0ms), how.total_timeout.value_or(0ms)) >
      zmtp::longest_duration) {
    return errc::bad_option;
  }
  if (body.empty()) {
    return errc::no_body;
  }
  if (body.size() > max_frames) {
    return errc::too_many_frames;
  }
  service_ = service;
  on_behalf_of_ = how.on_behalf_of;
  request_ = std::move(body);
  key_ = next(key_);
  keyed_with_.reset();
  sends_ = 0;
  in_flight_ = true;
  ever_sent_ = sent_before_ = partly_answered_ = false;
  attempts_ = 1;
  timeout_ = std::max(how.timeout.value_or(options_.timeout), 1ms);
  idempotent_ = how.idempotent.value_or(options_.idempotent);
  const auto wanted = how.attempts ? how.attempts : options_.attempts;
  most_attempts_ = std::max(wanted.value_or(default_attempts(idempotent_)), 1U);
  pause_ = options_.backoff;
  deadline_ = now + timeout_;
  end_ = how.total_timeout ? std::optional{now + *how.total_timeout} : std::nullopt;
  if (attached_) {
    send(now, true, out);
  }
  return {};
}

void client_state::send(time_point now, bool may_begin, actions& out) {
  if (!ever_sent_) {
    first_sent_at_ = now;
    // A key is useless if the request is sent once or may run twice.
    keyed_with_ = idempotent_ || most_attempts_ == 1 ? std::nullopt : instance_;
  }
  ++sends_;
  auto& sent = out.sends.emplace_back(request_);
  push_client_request(
      sent, options_.protocol, service_,
      keyed_with_ ? std::optional{keyed_attempt{key_, sends_, may_begin}} : std::nullopt,
      takes_principals_ ? std::optional<std::string_view>{on_behalf_of_} : std::nullopt);
  sent_before_ = ever_sent_;
  ever_sent_ = on_connection_ = true;
}

void client_state::cancel(actions& out) {
  if (std::exchange(in_flight_, false) && on_connection_) {
    reopen(0ms, false, out);
  }
  request_.clear();
}

std::optional<client_state::time_point> client_state::next_deadline() const noexcept {
  if (!in_flight_) {
    return std::nullopt;
  }
  return end_ ? std::min(deadline_, *end_) : deadline_;
}

void client_state::on_deadline(time_point now, actions& out) {
  const auto due = next_deadline();
  if (!due || now < *due) {
    return;
  }
  if (end_ && *end_ <= now) {
    give_up(out);
  } else if (const auto later = zmtp::postponed(deadline_, timeout_, now)) {
    deadline_ = *later;
  } else if (partly_answered_ || attempts_ >= most_attempts_ || !may_be_repeated()) {
    give_up(out);
  } else {
    repeat(now, out);
  }
}

// Parts of a second attempt's reply must not be mixed with those of the first.
void client_state::give_up(actions& out) {
  fail(partly_answered_ ? errc::reply_cut_short
       : ever_sent_     ? errc::no_reply
                        : errc::not_connected,
       out);
  reopen(0ms, true, out);
}

void client_state::repeat(time_point now, actions& out) {
  ++attempts_;
  const auto pause = next_pause();
  deadline_ = now + pause + timeout_;
  reopen(pause, !bound(), out);
}

std::chrono::milliseconds client_state::next_pause() noexcept {
  const auto pause = std::min(pause_, options_.longest_backoff);
  pause_ = pause * 2;
  std::uniform_int_distribution<std::chrono::milliseconds::rep> spread{pause.count() / 2,
                                                                       pause.count()};
  return std::chrono::milliseconds{spread(random_)};
}

void client_state::fail(errc why, actions& out) {
  in_flight_ = false;
  request_.clear();
  out.failure = make_error_code(why);
}

void client_state::reopen(std::chrono::milliseconds delay, bool elsewhere, actions& out) noexcept {
  attached_ = on_connection_ = false;
  out.reopen = {delay, elsewhere};
}

}  // namespace mdp
