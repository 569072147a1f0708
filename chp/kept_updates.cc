#include "chp/kept_updates.h"

#include <algorithm>

namespace chp {

std::deque<kept_update>::iterator kept_updates::at_or_after(std::uint64_t counter) noexcept {
  // First answers mostly come in the order of counters.
  if (all_.empty() || all_.back().what.counter < counter) {
    return all_.end();
  }
  return std::lower_bound(
      all_.begin(), all_.end(), counter,
      [](const kept_update& one, std::uint64_t wanted) { return one.what.counter < wanted; });
}

void kept_updates::add(sent_update&& what, const answer_range& of) {
  bytes_ += what.set.framed_size();
  const auto at = at_or_after(what.counter);
  all_.insert(
      at,
      {.what = std::move(what), .number = of.number, .says = of.says, .made = of.why == errc{}});
}

std::optional<kept_update> kept_updates::drop_excess() {
  if (all_.size() <= most_ && (bytes_ <= most_bytes_ || all_.size() <= 1)) {
    return std::nullopt;
  }
  auto oldest = std::move(all_.front());
  all_.pop_front();
  bytes_ -= oldest.what.set.framed_size();
  asked_ -= oldest.asked ? 1U : 0U;
  count_unlisted(oldest);
  return oldest;
}

void kept_updates::count_unlisted(const kept_update& one) noexcept {
  if (one.made) {
    ++unlisted_;
    last_unlisted_ = std::max(last_unlisted_, one.number);
  }
}

void kept_updates::take_answer(kept_update& one, const answer_range& of) noexcept {
  asked_ -= one.asked ? 1U : 0U;
  one.asked = false;
  one.in_doubt = false;
  one.number = of.number;
  one.says = of.says;
  one.made = of.why == errc{};
}

// Both servers have everything up to a number.
void kept_updates::forget_unlisted(sequence both) noexcept {
  if (last_unlisted_ <= both) {
    unlisted_ = 0;
  }
}

void kept_updates::ask_all() noexcept {
  for (auto& one : all_) {
    one.asked = true;
  }
  asked_ = all_.size();
}

void kept_updates::on_history_lost(const lineage& before, const lineage* now) noexcept {
  for (auto& one : all_) {
    one.in_doubt = true;
  }
  if (unlisted_ != 0 && (now == nullptr || common_point(before, *now) < last_unlisted_)) {
    lost_unlisted_ += unlisted_;
    unlisted_ = 0;
    last_unlisted_ = 0;
  }
}

std::optional<truth> kept_updates::give_up(pending_sets::ticket of) noexcept {
  const auto found = std::lower_bound(
      all_.begin(), all_.end(), of,
      [](const kept_update& one, pending_sets::ticket t) { return one.what.of < t; });
  if (found == all_.end() || found->what.of != of) {
    return std::nullopt;
  }
  found->what.awaited = false;
  return found->says;
}

}  // namespace chp
