#include "bench/support/paced.h"

#include "bench/support/arguments.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace bench {

std::uint64_t pace::take() {
  const auto due = rate_ * static_cast<std::uint64_t>((tick * ++ticks_).count()) / 1'000'000;
  const auto now = std::min(due - taken_, left_);
  taken_ = due;
  left_ -= now;
  return now;
}

void stamp(std::span<std::byte> message, pace::clock::time_point due) {
  const std::int64_t ns = due.time_since_epoch() / std::chrono::nanoseconds{1};
  if (message.size() < sizeof ns) {
    fail("SIZE has no space for a time: give 8 bytes or more");
  }
  std::memcpy(message.data(), &ns, sizeof ns);
}

void latencies::add(std::span<const std::byte> message, pace::clock::time_point now) {
  --left_;
  if (warm_up_ != 0) {
    --warm_up_;
    return;
  }
  std::int64_t due = 0;
  if (message.size() < sizeof due) {
    fail("a message without a time: give both programs the same arguments");
  }
  std::memcpy(&due, message.data(), sizeof due);
  taken_.add(now.time_since_epoch() - std::chrono::nanoseconds{due});
}

void latencies::print() const {
  const auto at = [&](double share) {
    return std::chrono::duration<double, std::micro>{taken_.percentile(share)}.count();
  };
  std::printf("latency p50: %.1f [us]\nlatency p99: %.1f [us]\nlatency p99.9: %.1f [us]\n", at(0.5),
              at(0.99), at(0.999));
  std::printf("latency longest: %.1f [us]\n", at(1));
}

}  // namespace bench
