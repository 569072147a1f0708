#include "zmtp/pattern/snail_state.h"

#include <algorithm>

namespace zmtp {

snail_state::publisher& snail_state::find(std::string_view name) {
  if (const auto found = by_name_.find(name); found != by_name_.end()) {
    known_.splice(known_.begin(), known_, found->second);
    return known_.front();
  }
  if (!known_.empty() && known_.size() >= options_.publishers) {
    by_name_.erase(known_.back().name);
    known_.pop_back();
  }
  known_.push_front({.name = std::string{name}});
  by_name_.emplace(known_.front().name, known_.begin());
  return known_.front();
}

bool snail_state::has_gap(publisher& from, const snail_stamp& stamp) {
  missed_ = 0;
  if (!stamp.number) {
    return false;
  }
  if (from.last_number && *stamp.number <= *from.last_number) {
    from.least_age.reset();
  } else if (from.last_number) {
    missed_ = *stamp.number - *from.last_number - 1;
  }
  from.last_number = stamp.number;
  return options_.gapless && missed_ != 0;
}

bool snail_state::is_late(publisher& from, const snail_stamp& stamp,
                          std::chrono::milliseconds now) {
  if (!stamp.at) {
    return false;
  }
  auto age = now - *stamp.at;
  if (options_.clocks_differ) {
    from.least_age = std::min(from.least_age.value_or(age), age);
    age -= *from.least_age;
  }
  delay_ = std::max(age, std::chrono::milliseconds{0});
  return options_.max_delay && delay_ > *options_.max_delay;
}

snail_verdict snail_state::on_message(const snail_stamp& stamp, std::chrono::milliseconds now) {
  auto& from = find(stamp.publisher);
  // Both functions must see each message, independent of the other's result.
  const auto gap = has_gap(from, stamp);
  const auto late = is_late(from, stamp, now);
  return gap ? snail_verdict::gap : late ? snail_verdict::too_late : snail_verdict::keeps_up;
}

}  // namespace zmtp
