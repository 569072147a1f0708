#pragma once
// The whole content of a file.

#include <cstddef>
#include <stdexcept>
#include <string>

namespace zinc {

// Bytes of a file that is a message or a part of one.
inline constexpr std::size_t most_file_bytes = 256 * 1024 * 1024;

class too_large : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

// Reads a file, and standard input if its name is `-`. Throws std::runtime_error with the fault, and too_large if
// it has more than `most` bytes.
[[nodiscard]] std::string bytes_of(const std::string& file, std::size_t most = most_file_bytes);

}  // namespace zinc
