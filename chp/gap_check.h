#pragma once
// Checks that the updates that a client receives have no gap. Pure.

#include "chp/sequence.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace chp {

// Servers with a log tell with `prev` which update was published before, unless that is the number
// before. So a client of the whole map detects a gap in the sequences, and a client of a subtree in
// its counter in `d` (reliability.md 3.2, G3). 12/CHP only requires increasing sequences. So the
// sequences of other servers count as gapless only after a step of one, and a server that counts in
// tens does not cause endless snapshots. A new epoch of such a server on the same connection is
// always a gap, because another server may have been active in between.
class gap_check {
public:
  enum class verdict : std::uint8_t {
    next,
    old,  // to drop, by 12/CHP
    gap,
  };

  explicit gap_check(std::string subtree) : subtree_{std::move(subtree)} {}

  // A snapshot was adopted: its sequence and the properties of its KTHXBAI.
  void begin(sequence at, std::string_view properties, bool server_has_log);
  // Checks an update. If it is next, it becomes the last one.
  [[nodiscard]] verdict look(sequence number, std::string_view properties);

  [[nodiscard]] sequence last() const noexcept { return last_; }

private:
  [[nodiscard]] bool follows(sequence number, std::string_view properties);
  [[nodiscard]] bool follows_in_log(sequence number, std::string_view properties);

  std::string subtree_;
  sequence last_ = 0;
  std::optional<std::uint64_t> count_;  // updates of the subtree
  bool has_log_ = false;
  bool gapless_ = false;  // the last update of a third-party server was the very next one
};

}  // namespace chp
