#pragma once
// The files that the options for the security of connections name.

#include "zmtp/authenticators/allowed_keys.h"
#include "zmtp/curve/certificate.h"

#include <memory>
#include <string>

namespace zinc {

inline constexpr auto authorized_option = "--authorized-keys";

// Reads a folder of public certificates, or a file with one key in each line and a user id behind
// it. The user id of a certificate is the `name` in its metadata, or else the name of the file.
// Throws: CLI::ValidationError.
[[nodiscard]] std::shared_ptr<zmtp::allowed_keys> load_authorized_keys(const std::string& path);

// Read a file that the value of `option` names. Throw CLI::ValidationError.
[[nodiscard]] std::string text_of_file(const std::string& option, const std::string& path);
[[nodiscard]] zmtp::curve_certificate certificate_of(const std::string& option,
                                                     const std::string& path);

}  // namespace zinc
