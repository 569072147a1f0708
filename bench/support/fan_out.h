#pragma once
// How the two sides of a fan-out find each other, the same for every library:
// 1. The publisher sends numbered probes.
// 2. The subscriber has one socket with PEERS connections. When it has seen the same number on each, it
//    sends `go` to a PULL at the next port.
// 3. The publisher sends COUNT messages and an end.

#include "bench/support/report.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

namespace bench {

inline constexpr int probe_interval_milliseconds = 10;
// How long the subscriber waits for the next message before it gives the rest up for lost.
inline constexpr int delivery_deadline_milliseconds = 30'000;
inline constexpr std::string_view fan_out_go = "go";
inline constexpr std::string_view fan_out_end = "end";
// The first byte of each of the COUNT messages.
inline constexpr std::byte data_mark{'.'};

// With TOPICS the subscriber subscribes to the first bytes of these messages, and to TOPICS topics of 16
// bytes that match none of the messages. The publisher gets the latter first, because Zinc sends topics in
// the order of subscribing and libzmq in the order of bytes. So no subscription is pending when the messages
// begin.
inline constexpr std::array<std::string_view, 3> fan_out_topics{"?", ".", "end"};
std::string unmatched_topic(std::uint64_t number);

std::array<std::byte, 9> make_probe(std::uint64_t number);

enum class fan_out_step {
  wait,     // for the next message
  send_go,  // every connection is live
  finish,   // nothing more comes
};

// The subscriber's side. The first of the COUNT messages starts the clock, the last stops it.
class fan_out_receiver {
public:
  fan_out_receiver(std::uint64_t peers, std::uint64_t size, std::uint64_t count)
      : peers_{peers}, size_{size}, expected_{peers * count} {}

  fan_out_step on_message(std::span<const std::byte> message) {
    if (message.empty() || message.front() != data_mark) [[unlikely]] {
      return on_signal(message);
    }
    if (!clock_) [[unlikely]] {
      clock_.emplace();
    }
    return ++delivered_ == expected_ ? finish() : fan_out_step::wait;
  }

  // Prints the figures, or how many messages are missing. Returns the program's exit code.
  int report() const;

private:
  fan_out_step on_signal(std::span<const std::byte> message);
  fan_out_step finish();

  std::uint64_t peers_;
  std::uint64_t size_;
  std::uint64_t expected_;
  std::uint64_t delivered_ = 0;
  std::uint64_t ends_ = 0;
  bool live_ = false;
  std::unordered_map<std::uint64_t, std::uint64_t> probes_{};  // how often each number came
  std::optional<stopwatch> clock_{};
  double seconds_ = 0;
};

}  // namespace bench
