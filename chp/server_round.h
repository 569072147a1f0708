#pragma once
// Decides which server a client tries next, when, and whether it adopts a history that lacks
// what it has seen. Pure.

#include "chp/client_options.h"

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

  // `seed` varies the pauses between clients.
  server_round(std::size_t servers, const client_options& options, std::uint32_t seed);

  [[nodiscard]] std::size_t current() const noexcept { return current_; }
  // Moves to the server after the current one.
  void turn_to_next() noexcept;
  // Returns when the client may connect to the current server: now, unless it was tried recently.
  [[nodiscard]] time_point earliest() const noexcept { return earliest_[current_]; }
  // Returns the divisor of the timeout for a reply of the current server. If there is another
  // server, which may be the active one, a quarter of the timeout is used at first, half of it
  // after one visit without a reply, then all of it.
  [[nodiscard]] unsigned timeout_divisor() const noexcept;
  // The client connects to the server.
  void on_visit(time_point now);
  // The server accepted the connection, but the timeout ended without a reply.
  void on_unanswered() noexcept { ++unanswered_[current_]; }

  enum class verdict : std::uint8_t {
    take,
    refuse,      // another server may have the missing updates
    take_other,  // no server has them: they are lost
  };
  // Judges a snapshot, by whether its history has what the client has seen. Another history is
  // refused until each server has been tried (reliability.md 3.2, G1).
  [[nodiscard]] verdict decide(bool has_what_was_seen) noexcept;

private:
  const std::chrono::milliseconds first_pause_;
  const std::chrono::milliseconds longest_pause_;
  std::vector<time_point> earliest_;
  std::vector<std::chrono::milliseconds> pause_;
  std::vector<unsigned> unanswered_;  // since a history was taken
  std::size_t current_ = 0;
  // Number of servers left since the first refused history.
  std::optional<std::size_t> left_since_refusal_;
  std::minstd_rand random_;
};

}  // namespace chp
