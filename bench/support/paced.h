#pragma once
// Messages at a given rate, whatever the receiver does: in each tick a source sends those that are due. Each carries
// the time at which it was due, so that a late source counts as well. Both ends are on one machine and share its clock.

#include "tools/zinc/bench/latency_histogram.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

namespace bench {

class pace {
public:
  using clock = std::chrono::steady_clock;

  static constexpr std::chrono::microseconds tick{100};

  // `rate` is in messages per second.
  pace(std::uint64_t rate, std::uint64_t count) : rate_{rate}, left_{count} {}

  bool over() const { return left_ == 0; }
  // When the messages of the next tick are due.
  clock::time_point next() const { return begin_ + tick * ticks_; }
  // Returns how many messages are due at next(), and moves on to the tick after it.
  std::uint64_t take();

private:
  clock::time_point begin_ = clock::now();
  std::uint64_t rate_;
  std::uint64_t left_;
  std::uint64_t ticks_ = 0;
  std::uint64_t taken_ = 0;
};

// Writes the time at which a message was due. Ends the program if the message has less than 8 bytes.
void stamp(std::span<std::byte> message, pace::clock::time_point due);

// How long messages took from when they were due. The first tenth is not counted: it waits for the connection.
class latencies {
public:
  explicit latencies(std::uint64_t count) : left_{count}, warm_up_{count / 10} {}

  // Whether messages are still to come.
  bool incomplete() const { return left_ != 0; }
  void add(std::span<const std::byte> message, pace::clock::time_point now);
  // Prints p50, p99, p99.9 and the longest.
  void print() const;

private:
  std::uint64_t left_;
  std::uint64_t warm_up_;
  zinc::bench::latency_histogram taken_{};
};

}  // namespace bench
