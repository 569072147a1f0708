#pragma once
// The whole content of a file.

#include <cstddef>
#include <string>

namespace zinc {

// Bytes of a file that is a message or a part of one.
inline constexpr std::size_t most_file_bytes = 256 * 1024 * 1024;

// Reads a file, and standard input if its name is `-`. Throws std::runtime_error with the fault.
[[nodiscard]] std::string bytes_of(const std::string& file);

}  // namespace zinc
