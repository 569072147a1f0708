#pragma once
// Planted faults of common forms, and whether the checks notice them.

#include "test/zmtp/simulation/planted_fault.h"
#include "test/zmtp/simulation/violation.h"
#include "zmtp/peer.h"
#include "zmtp/socket_type.h"

#include <functional>
#include <vector>

namespace zmtp::simulation {

// Returns whether the checks find the violation in one of the first scenarios of the two types with the fault. Each run
// begins with a copy of the fault.
[[nodiscard]] bool noticed(violation what, socket_type hub, socket_type spokes,
                           const planted_fault& fault, bool no_troubles = true);

// Gives the messages that a user of this type has received to `edit`.
[[nodiscard]] planted_fault editing(socket_type whose,
                                    std::function<void(std::vector<routed_message>&)> edit);
// The same for each message, which is removed if `edit` returns false.
[[nodiscard]] planted_fault editing_each(socket_type whose,
                                         std::function<bool(routed_message&)> edit);
// For editing().
void double_last(std::vector<routed_message>& got);
void drop_last(std::vector<routed_message>& got);
[[nodiscard]] planted_fault adjusted(planted_fault fault, std::function<void(participant&)> adjust);

[[nodiscard]] bool is_message(const routed_message& m);
[[nodiscard]] bool is_parcel(const routed_message& m);
// Whether it is a notice of an XPUB about a topic.
[[nodiscard]] bool is_notice(const routed_message& m, char begins);

}  // namespace zmtp::simulation
