#pragma once
// A file of users and password hashes: read, and changed.

#include <stdexcept>
#include <string>
#include <string_view>

namespace zmtp {

// The text names the file, the fault and the remedy.
class password_file_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

// Throws password_file_error.
[[nodiscard]] std::string read_password_list(const std::string& path);

// Sets the password of the user. Creates the file, or replaces it as a whole: other processes see
// either the old or the new one. Only this user can read the new file. Throws password_file_error,
// and then changes nothing.
void set_password(const std::string& path, const std::string& user, std::string_view password);
// Removes the user in the same way. Returns whether there was one.
[[nodiscard]] bool remove_user(const std::string& path, const std::string& user);

}  // namespace zmtp
