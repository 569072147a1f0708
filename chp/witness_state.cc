#include "chp/witness_state.h"

#include <utility>

namespace chp {

void witness_state::release() noexcept {
  epoch_ = 0;
  wanted_epoch_.reset();
  wanted_.reset();
  is_certain_ = false;
}

std::optional<witness_state::attempt> witness_state::next(time_point now) {
  if (pending_ || now < retry_at_ || !(wanted_epoch_ || wants_change())) {
    return std::nullopt;
  }
  const auto backup = wanted_epoch_ ? std::nullopt : wanted_;
  membership to{known_.revision + 1, wanted_epoch_.value_or(epoch_), self_, {self_}};
  if (backup) {
    to.in_sync.push_back(*backup);
  }
  if (!may_change(known_, to, self_)) {
    to = known_;  // it may be outdated
  }
  pending_ = pending{{known_, to}, wanted_epoch_, backup};
  is_certain_ = false;
  return pending_->what;
}

std::optional<witness_state::time_point> witness_state::next_deadline() const noexcept {
  if (pending_ || !(wanted_epoch_ || wants_change())) {
    return std::nullopt;
  }
  return retry_at_;
}

witness_outcome witness_state::on_answer(boost::system::error_code ec, const membership& now_record,
                                         time_point now) {
  if (!pending_) {
    return witness_outcome::nothing;
  }
  const auto made = *std::exchange(pending_, std::nullopt);
  const bool acquires = made.epoch && made.epoch == wanted_epoch_;
  if (ec) {
    retry_at_ = now + retry_;
    if (acquires) {
      wanted_epoch_.reset();
      return witness_outcome::refused;
    }
    return witness_outcome::nothing;
  }
  is_seen_ = true;
  const bool is_current = !made.is_overtaken;
  known_ = is_current ? now_record : known_;
  const bool is_question = made.what.from == made.what.to;
  const bool is_granted = is_current && !is_question && now_record == made.what.to;
  if (acquires && is_granted) {
    epoch_ = *std::exchange(wanted_epoch_, std::nullopt);
    granted_.reset();
    is_certain_ = true;
    return witness_outcome::acquired;
  }
  if (acquires && is_current && is_question && now_record == made.what.from) {
    wanted_epoch_.reset();
    return witness_outcome::refused;
  }
  if (epoch_ != 0 && is_granted) {
    granted_ = made.backup;
    is_certain_ = true;
  }
  check_owner();
  return witness_outcome::nothing;
}

void witness_state::on_changed(const membership& record) {
  is_seen_ = true;
  if (record.revision <= known_.revision) {
    return;
  }
  known_ = record;
  if (pending_) {
    pending_->is_overtaken = pending_->what.to.revision < record.revision;
  }
  check_owner();
}

// A later epoch of this server may have been granted without an answer.
void witness_state::check_owner() {
  if (epoch_ == 0) {
    return;
  }
  if (known_.active != self_) {
    release();
  } else {
    epoch_ = known_.epoch;
  }
}

}  // namespace chp
