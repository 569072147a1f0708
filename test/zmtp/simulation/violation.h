#pragma once
// The kinds of violations that a simulation finds.

#include <cstdint>
#include <string_view>

namespace zmtp::simulation {

enum class violation : std::uint8_t {
  partial,       // a message came without all of its parts
  spliced,       // … with parts of another, or was never sent so
  duplicate,     // … a second time
  reordered,     // … before one that was sent earlier on its connection
  mingled,       // … behind what its peer has sent on a later connection
  lost,          // … not, though nothing happened that excuses it
  above_mark,    // a queue holds more than its mark and one message
  misaddressed,  // … to another than it was sent to
  wrong_answer,  // REQ got what does not answer its request
  not_wanted,    // SUB got, or PUB sent, a message without a subscription
  mistold,       // XPUB reports the begin or end of a topic twice, or not at all
  attach_order,  // attach and detach do not enclose a peer's messages
  miscounted,    // counters do not add up
  leaked,        // a pipe is left after all connections ended
  stuck,         // something waits, and nothing will ever happen
};

[[nodiscard]] constexpr std::string_view to_string(violation b) noexcept {
  switch (b) {
    case violation::partial: return "partial";
    case violation::spliced: return "spliced";
    case violation::duplicate: return "duplicate";
    case violation::reordered: return "reordered";
    case violation::mingled: return "mingled";
    case violation::lost: return "lost";
    case violation::above_mark: return "above mark";
    case violation::misaddressed: return "misaddressed";
    case violation::wrong_answer: return "wrong answer";
    case violation::not_wanted: return "not wanted";
    case violation::mistold: return "mistold";
    case violation::attach_order: return "attach order";
    case violation::miscounted: return "miscounted";
    case violation::leaked: return "leaked";
    case violation::stuck: return "stuck";
  }
  return {};
}

}  // namespace zmtp::simulation
