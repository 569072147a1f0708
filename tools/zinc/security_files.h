#pragma once
// The files that the options for the security of connections name.

#include "zmtp/authenticator.h"
#include "zmtp/curve/certificate.h"

#include <cstddef>
#include <memory>
#include <string>

namespace zinc {

inline constexpr auto authorized_option = "--authorized-keys";
inline constexpr auto plain_users_option = "--plain-users";

// Throws CLI::ValidationError.
[[noreturn]] void refuse(const std::string& option, const std::string& why);

// Writes a warning to standard error, once, also if SIGHUP reads the options again.
void warn(const std::string& text);
void warn_if_others_may_read(const std::string& option, const std::string& path);

// Reads a folder of public certificates, or a file with one key in each line and a user id behind
// it. The folder is read again when it changes (zmtp::certificate_folder). The file is read once.
// Throws: CLI::ValidationError.
[[nodiscard]] std::shared_ptr<zmtp::authenticator> load_authorized_keys(const std::string& path);

// Reads a file of zinc passwd, and reads it again when it changes (zmtp::password_file).
// Throws: CLI::ValidationError.
[[nodiscard]] std::shared_ptr<zmtp::authenticator> load_plain_users(const std::string& path);

// Throws CLI::ValidationError if the file that the value of `option` names cannot be opened.
void check_file(const std::string& option, const std::string& path);

// Read a file that the value of `option` names, which has at most this size. Throw CLI::ValidationError.
[[nodiscard]] std::string text_of_file(const std::string& option, const std::string& path,
                                       std::size_t most_bytes = std::size_t{64} * 1024 * 1024);
[[nodiscard]] zmtp::curve_certificate certificate_of(const std::string& option,
                                                     const std::string& path);

}  // namespace zinc
