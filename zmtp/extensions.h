#pragma once
// The X-Zinc property of READY and INITIATE: a list of extensions that only Zinc's peers
// understand, such as `capacity=8`. A peer without this property follows the specifications.

#include "zmtp/metadata.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp {

// Adds the property in the form `a,b=c`. Does nothing if `extensions` is empty. See
// socket_options::extensions for the form of each element.
void announce_extensions(metadata& own, const std::vector<std::string>& extensions);

// Returns the text after the `=` of the first extension with this name, or an empty view if the
// extension has no value. Returns nothing if the peer has not announced the extension. The result
// is a view into `peer`.
[[nodiscard]] std::optional<std::string_view> find_extension(const metadata& peer,
                                                             std::string_view name) noexcept;

}  // namespace zmtp
