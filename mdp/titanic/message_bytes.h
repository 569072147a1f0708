#pragma once
// The file format of a message: each part after its size in eight bytes, little-endian. The Guide's
// Titanic writes the same format on 64-bit little-endian machines. Pure.

#include "zmtp/message.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace mdp::titanic {

void append_bytes(const zmtp::message& m, std::vector<std::byte>& to);
// Returns nothing if the bytes are cut short, have too many parts, or no part.
[[nodiscard]] std::optional<zmtp::message> message_of(std::span<const std::byte> bytes);

}  // namespace mdp::titanic
