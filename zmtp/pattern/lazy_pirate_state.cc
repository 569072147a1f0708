#include "zmtp/pattern/lazy_pirate_state.h"

#include "zmtp/pattern/liveness.h"

#include <algorithm>
#include <utility>

namespace zmtp {

lazy_pirate_state::lazy_pirate_state(std::size_t servers, const lazy_pirate_timing& timing) noexcept
    : servers_{servers}, timing_{timing} {}

boost::system::error_code lazy_pirate_state::ask(time_point now, std::optional<time_point> until,
                                                 actions& out) {
  if (phase_ != phase::idle) {
    return call_errc::call_in_flight;
  }
  sent_ = false;
  attempts_ = 0;
  until_ = until;
  attempt(now, out);
  return {};
}

void lazy_pirate_state::attempt(time_point now, actions& out) {
  phase_ = phase::asking;
  ++attempts_;
  next_ = now + timing_.timeout;
  if (!std::exchange(open_, true)) {
    out.open = server_;
  }
  out.asking = attempt_event{attempt_event::kind::asking, server_, attempts_};
  out.send = true;
}

void lazy_pirate_state::close(actions& out) noexcept {
  if (std::exchange(open_, false)) {
    out.close = true;
  }
}

void lazy_pirate_state::cancel(actions& out) {
  if (std::exchange(phase_, phase::idle) != phase::idle) {
    close(out);
  }
}

std::optional<lazy_pirate_state::time_point> lazy_pirate_state::next_deadline() const noexcept {
  if (phase_ == phase::idle) {
    return std::nullopt;
  }
  return until_ ? std::min(next_, *until_) : next_;
}

void lazy_pirate_state::on_deadline(time_point now, actions& out) {
  const auto due = next_deadline();
  if (!due || now < *due) {
    return;
  }
  const bool out_of_time = until_ && *until_ <= now;
  if (phase_ == phase::pausing) {
    out_of_time ? give_up(out) : attempt(now, out);
    return;
  }
  if (const auto later = postponed(next_, timing_.timeout, now); later && !out_of_time) {
    next_ = *later;
    return;
  }
  out.lost = attempt_event{attempt_event::kind::no_answer, server_, attempts_};
  close(out);
  server_ = (server_ + 1) % servers_;
  if (out_of_time || attempts_ == timing_.attempts) {
    give_up(out);
  } else if (timing_.pause.count() > 0) {
    phase_ = phase::pausing;
    next_ = now + timing_.pause;
  } else {
    attempt(now, out);
  }
}

void lazy_pirate_state::give_up(actions& out) {
  phase_ = phase::idle;
  out.failure = sent_ ? call_errc::no_answer : call_errc::not_sent;
}

}  // namespace zmtp
