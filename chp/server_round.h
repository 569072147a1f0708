#pragma once
// Decides which server a client tries next, when, and whether it adopts a history that is older
// than its copy. Pure.

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
    take_older,  // no server has them: the latest updates of the copy are lost
  };
  // Judges a snapshot at sequence `offered`, of a history that started after `begun`. The copy is
  // at `seen`, or absent before the first snapshot. A lower sequence is taken only from a server
  // without epochs (protocols C1-25). From another server it means that the server lacks updates of
  // the copy. The same is true for a history that started after `seen`. Such a snapshot is refused
  // until each server has been tried (reliability.md 3.2, G1).
  [[nodiscard]] verdict judge(sequence offered, sequence begun,
                              std::optional<sequence> seen) noexcept;

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
