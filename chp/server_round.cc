#include "chp/server_round.h"

#include <algorithm>

namespace chp {

server_round::server_round(std::size_t servers, const client_options& options, std::uint32_t seed)
    : first_pause_{options.retry},
      longest_pause_{options.longest_retry},
      earliest_(servers),
      pause_(servers, options.retry),
      unanswered_(servers),
      random_{seed} {}

void server_round::turn_to_next() noexcept {
  if (left_since_refusal_) {
    ++*left_since_refusal_;
  }
  current_ = (current_ + 1) % earliest_.size();
}

unsigned server_round::timeout_divisor() const noexcept {
  const auto times = unanswered_[current_];
  return earliest_.size() == 1 || times > 1 ? 1 : times == 1 ? 2 : 4;
}

void server_round::on_visit(time_point now) {
  auto& pause = pause_[current_];
  std::uniform_int_distribution<std::int64_t> spread{pause.count() / 2, pause.count()};
  earliest_[current_] = now + std::chrono::milliseconds{spread(random_)};
  pause = std::min(2 * pause, longest_pause_);
}

server_round::verdict server_round::decide(bool has_what_was_seen) noexcept {
  auto result = verdict::take;
  if (!has_what_was_seen) {
    if (!left_since_refusal_) {
      left_since_refusal_ = 0;
    }
    if (*left_since_refusal_ < earliest_.size()) {
      return verdict::refuse;
    }
    result = verdict::take_other;
  }
  left_since_refusal_.reset();
  std::fill(pause_.begin(), pause_.end(), first_pause_);
  std::fill(unanswered_.begin(), unanswered_.end(), 0);
  return result;
}

}  // namespace chp
