#pragma once
// The X-Zinc property of READY and INITIATE: a list of what only peers of this project understand,
// such as `capacity=8`. A peer without it is one that is as the specifications have it.

#include "zmtp/metadata.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp {

// Adds the property, `a,b=c`; nothing if there are no extensions. They are as socket_options has them.
void announce_extensions(metadata& own, const std::vector<std::string>& extensions);

// What stands behind the `=` of the first extension of this name, empty if there is none; nothing if
// the peer has not announced it. A view of `peer`.
[[nodiscard]] std::optional<std::string_view> find_extension(const metadata& peer,
                                                             std::string_view name) noexcept;

}  // namespace zmtp
