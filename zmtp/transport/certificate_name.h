#pragma once
// The name that a certificate gives to its owner. Pure.

#include <span>
#include <string>

namespace zmtp::transport {

// Returns the first of the subject's common names, or else the first of the alternative names, that
// is usable: of 1 to 255 bytes without control characters. Returns an empty string if none is.
[[nodiscard]] std::string certificate_name(std::span<const std::string> common_names,
                                           std::span<const std::string> alternative_names);

}  // namespace zmtp::transport
