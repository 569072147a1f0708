#pragma once
// Whether the updates that a client receives follow one another without a gap. Pure.

#include "chp/sequence.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace chp {

// Servers of ours number without a gap: who follows the whole map sees it in the sequences, who follows a
// subtree in its counter in `d` (reliability.md 3.2, G3). 12/CHP asks for rising sequences and no more: those
// of other servers are taken for gapless only where they have just been, so that one who counts in
// tens is not asked for its snapshot without end. A new epoch on the same connection is a gap always: in
// between another server was active.
class gap_check {
public:
  enum class verdict : std::uint8_t {
    next,
    old,  // to be discarded (12/CHP)
    gap,
  };

  explicit gap_check(std::string subtree) : subtree_{std::move(subtree)} {}

  // A snapshot was taken: its sequence and the properties of its KTHXBAI.
  void begin(sequence at, std::string_view properties, bool server_of_ours);
  // An update, which is the last one from then on, if it is next.
  [[nodiscard]] verdict look(sequence number, std::string_view properties);

  [[nodiscard]] sequence last() const noexcept { return last_; }

private:
  [[nodiscard]] bool follows(sequence number, std::string_view properties);

  std::string subtree_;
  sequence last_ = 0;
  std::optional<std::uint64_t> count_;  // of the subtree
  bool ours_ = false;
  bool gapless_ = false;  // the last update of another's server was the very next
};

}  // namespace chp
