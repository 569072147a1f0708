#pragma once
// A message as it is kept in a file: each part behind its size in eight octets, the least first. That is
// also how the Guide's Titanic writes them on the machines of today. Pure.

#include "zmtp/message.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace mdp::titanic {

void append_octets(const zmtp::message& m, std::vector<std::byte>& to);
// Nothing for what is cut short, has too many parts or none.
[[nodiscard]] std::optional<zmtp::message> message_of(std::span<const std::byte> octets);

}  // namespace mdp::titanic
