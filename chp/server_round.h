#pragma once
// Which of its servers a client turns to next, when, and whether it takes a history that is older than
// what it has seen. Pure.

#include "chp/client_options.h"
#include "chp/sequence.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

namespace chp {

class server_round {
public:
  using time_point = std::chrono::steady_clock::time_point;

  // `seed` spreads the pauses of many clients.
  server_round(std::size_t servers, const client_options& options, std::uint32_t seed);

  [[nodiscard]] std::size_t current() const noexcept { return current_; }
  // To the one behind the current one.
  void turn_to_next() noexcept;
  // When the current one may be connected to: at once, unless that was tried a moment ago.
  [[nodiscard]] time_point earliest() const noexcept { return earliest_[current_]; }
  // What part of the patience with a server that does not answer the current one is worth: while there is
  // another one, which may be the active one, a quarter of it at first, half of it where it was left unanswered
  // once since one was followed, and then all of it.
  [[nodiscard]] unsigned patience_divisor() const noexcept;
  // It is being connected to.
  void on_visit(time_point now);
  // It took the connection, and that patience was over before there was an answer.
  void on_unanswered() noexcept { ++unanswered_[current_]; }

  enum class verdict : std::uint8_t {
    take,
    refuse,      // another one may have what is missing
    take_older,  // none has: what we have seen last is lost
  };
  // The current one offers a snapshot at this sequence, of a history that began behind `begun`, where ours is
  // at `seen`: nothing before the first one. A lower sequence is taken from a server without epochs alone
  // (protocols C1-25); of another it means that it was not told of what we have seen, and so does a history
  // that began behind that: refused until each server has been turned to (reliability.md 3.2, G1).
  [[nodiscard]] verdict judge(sequence offered, sequence begun,
                              std::optional<sequence> seen) noexcept;

private:
  const std::chrono::milliseconds first_pause_;
  const std::chrono::milliseconds longest_pause_;
  std::vector<time_point> earliest_;
  std::vector<std::chrono::milliseconds> pause_;
  std::vector<unsigned> unanswered_;  // since the history of one was taken
  std::size_t current_ = 0;
  // Servers that were left since the first one was refused for its history.
  std::optional<std::size_t> left_since_refusal_;
  std::minstd_rand random_;
};

}  // namespace chp
