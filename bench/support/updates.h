#pragma once
// A client of a clustered hashmap (12/CHP) that sets and a client that follows, the same for every library.
// The setter sends probes until the follower, which has subscribed to everything, has seen one. Then the
// setter sends COUNT updates of a few keys, and an end.

#include "bench/support/report.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace bench {

inline constexpr std::string_view probe_key = "?";
inline constexpr std::string_view end_key = "end";
inline constexpr int update_probe_milliseconds = 10;
// How long the follower waits for the next update before it gives the rest up for lost.
inline constexpr int update_deadline_milliseconds = 30'000;
// As many as the Guide's clients set.
inline constexpr std::uint64_t update_keys = 10'000;
inline constexpr std::string_view update_value = "................................";

// The key of the update with this number, from 0: the updates of each key are spread over all of them.
std::string_view update_key(std::uint64_t number, std::array<char, 20>& text);
// Returns a UUID of version 8 with a counter, in the same session for all updates.
std::array<std::byte, 16> update_uuid(std::uint64_t number);

// The state that the threads of the setter and of the follower share.
class update_run {
public:
  explicit update_run(std::uint64_t count) : expected_{count} {}

  // For the setter: tells whether the follower receives updates.
  bool live() const { return live_.load(std::memory_order_acquire); }

  // For the follower. The first update starts the clock, the last stops it. False when nothing more
  // comes.
  bool on_update(std::string_view key, std::uint64_t sequence) {
    if (key == "HUGZ") [[unlikely]] {
      return true;  // a heartbeat, without a number
    }
    if (sequence <= last_sequence_) [[unlikely]] {
      ++disordered_;
    }
    last_sequence_ = sequence;
    if (key == probe_key) [[unlikely]] {
      live_.store(true, std::memory_order_release);
      return true;
    }
    if (key == end_key) [[unlikely]] {
      seconds_ = clock_ ? clock_->seconds() : 0;
      return false;
    }
    if (!clock_) [[unlikely]] {
      clock_.emplace();
    }
    ++delivered_;
    return true;
  }

  // Prints the figures, or what is missing or came out of order. Returns the program's exit code.
  int report() const;

private:
  std::uint64_t expected_;
  std::atomic<bool> live_{false};
  std::uint64_t delivered_ = 0;
  std::uint64_t disordered_ = 0;
  std::uint64_t last_sequence_ = 0;
  std::optional<stopwatch> clock_{};
  double seconds_ = 0;
};

// Reads the sequence frame of an update: 8 bytes, network order.
std::uint64_t update_sequence(std::string_view frame);

}  // namespace bench
