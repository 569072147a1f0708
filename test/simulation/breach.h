#pragma once
// The kinds of violations that a simulation finds.

#include <cstdint>
#include <string_view>

namespace zmtp::simulation {

enum class breach : std::uint8_t {
  partial,       // a message came without all of its parts
  spliced,       // … with parts of another, or was never sent so
  duplicate,     // … a second time
  reordered,     // … before one that was sent earlier on its connection
  mingled,       // … behind what its only peer has sent on a later connection
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

[[nodiscard]] constexpr std::string_view to_string(breach b) noexcept {
  switch (b) {
    case breach::partial: return "partial";
    case breach::spliced: return "spliced";
    case breach::duplicate: return "duplicate";
    case breach::reordered: return "reordered";
    case breach::mingled: return "mingled";
    case breach::lost: return "lost";
    case breach::above_mark: return "above mark";
    case breach::misaddressed: return "misaddressed";
    case breach::wrong_answer: return "wrong answer";
    case breach::not_wanted: return "not wanted";
    case breach::mistold: return "mistold";
    case breach::attach_order: return "attach order";
    case breach::miscounted: return "miscounted";
    case breach::leaked: return "leaked";
    case breach::stuck: return "stuck";
  }
  return {};
}

}  // namespace zmtp::simulation
