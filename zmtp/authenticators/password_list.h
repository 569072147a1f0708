#pragma once
// The text form of users and their password hashes: `user:hash` in each line.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp {

struct password_list {
  struct fault {
    std::size_t line;  // counted from 1
    std::string what;  // "fault; remedy"
  };

  std::map<std::string, std::string, std::less<>> hashes;  // by user
  std::vector<fault> faults;
};

// Reads all lines. Empty lines and lines that begin with # are comments. A line with a fault is left
// out.
[[nodiscard]] password_list parse_password_list(std::string_view text);
// Replaces the line of the user, or appends one. Keeps all other lines as they are.
[[nodiscard]] std::string with_user(std::string_view text, std::string_view user,
                                    std::string_view hash);
// Removes the line of the user. Returns nothing if there is none.
[[nodiscard]] std::optional<std::string> without_user(std::string_view text, std::string_view user);
// Returns the fault and the remedy of a user name that no line can have, or nothing.
[[nodiscard]] std::optional<std::string> fault_of_user(std::string_view user);

// Returns the Argon2id hash of the password, in the text form of crypto_pwhash_str(). Takes about
// a tenth of a second and 64 MiB. Throws std::bad_alloc.
[[nodiscard]] std::string hash_password(std::string_view password);

// Takes as long. Also returns false if there is no memory for it.
[[nodiscard]] bool is_password(const std::string& hash, std::string_view password);

}  // namespace zmtp
