#pragma once
// The output of a subcommand on stdout. Write errors are reported.

#include <cerrno>
#include <cstdio>
#include <stdio_ext.h>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace zinc {

// Returns whether bytes of the network must be escaped before they are printed.
[[nodiscard]] inline bool stdout_is_terminal() { return ::isatty(STDOUT_FILENO) == 1; }

// Flushes stdout. Throws std::system_error after a write error, now or earlier. Then main() returns
// exit_code::failed.
inline void flush_output() {
  if (std::fflush(stdout) != 0) {
    throw std::system_error{errno, std::generic_category(), "cannot write the output"};
  }
  if (std::ferror(stdout) != 0) {
    throw std::system_error{std::make_error_code(std::errc::io_error), "cannot write the output"};
  }
}

// Prints `text` and writes it. Throws std::system_error if it cannot be written.
inline void write_output(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
    throw std::system_error{errno, std::generic_category(), "cannot write the output"};
  }
  flush_output();
}

// Like write_output(). Returns false if a signal came while the reader of the output took nothing.
// Then drops what is not written, so that the end of the program does not wait for the reader.
[[nodiscard]] inline bool write_unless_stopped(std::string_view text) {
  try {
    write_output(text);
    return true;
  } catch (const std::system_error& e) {
    if (e.code() != std::errc::interrupted) {
      throw;
    }
    ::__fpurge(stdout);
    std::clearerr(stdout);
    return false;
  }
}

}  // namespace zinc
