#pragma once
// Reads files with keys, passwords and settings.

#include <cstddef>
#include <optional>
#include <string>
#include <unistd.h>
#include <variant>

namespace zmtp {

// Closes its file.
class file_descriptor {
public:
  explicit file_descriptor(int number) noexcept : number_{number} {}
  file_descriptor(const file_descriptor&) = delete;
  file_descriptor& operator=(const file_descriptor&) = delete;
  ~file_descriptor() {
    if (number_ >= 0) {
      ::close(number_);
    }
  }
  // Negative: the file is not open.
  [[nodiscard]] int number() const noexcept { return number_; }

private:
  int number_;
};

// The fault of a file that could not be read.
struct unread_file {
  std::string why;
  bool is_open;  // false: the file could not be opened
};

// Returns why the file cannot be opened for reading, or nothing if it can. Only regular files are opened: a pipe or
// a device could block the process.
[[nodiscard]] std::optional<unread_file> fault_of_file(const std::string& path);

// Returns the content of a file of at most `limit` bytes, under the same conditions. Leaves no copy
// of it in other memory. The caller must wipe the text if it contains secrets.
[[nodiscard]] std::variant<std::string, unread_file> read_private_file(const std::string& path,
                                                                       std::size_t limit);

// Returns the text of an error number of the system.
[[nodiscard]] std::string text_of_errno(int error);

}  // namespace zmtp
