#pragma once
// The wire format, written from RFC 37 alone, to compare with the output of the library.

#include "test/support/bytes.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp::test {

using parts = std::vector<std::string>;

// Flags of a frame.
constexpr unsigned more = 1;
constexpr unsigned long_size = 2;
constexpr unsigned command = 4;

inline std::string big_endian(std::uint64_t value, int width) {
  std::string read;
  for (int shift = 8 * (width - 1); shift >= 0; shift -= 8) {
    read += static_cast<char>(value >> shift);
  }
  return read;
}

// Returns the header of a body of this size; the long form if `flags` ask for it.
inline std::string frame_header(unsigned flags, std::size_t size) {
  if (size > 255) {
    flags |= long_size;
  }
  return static_cast<char>(flags) + big_endian(size, (flags & long_size) != 0 ? 8 : 1);
}

inline std::string frame(unsigned flags, std::string_view body) {
  return frame_header(flags, body.size()).append(body);
}

inline std::string framed(const parts& message) {
  std::string read;
  for (std::size_t i = 0; i < message.size(); ++i) {
    read += frame(i + 1 < message.size() ? more : 0, message[i]);
  }
  return read;
}

inline std::string framed_command(std::string_view name, std::string_view data = {}) {
  return frame(command, static_cast<char>(name.size()) + std::string{name} + std::string{data});
}

inline std::string ping(std::string_view context = {}) {
  return framed_command("PING", bytes("00 00") + std::string{context});
}

inline std::string pong(std::string_view context = {}) { return framed_command("PONG", context); }

// The 64 bytes; the padding is what libzmq sends.
inline std::string greeting_of(unsigned major, unsigned minor, std::string mechanism = "NULL") {
  mechanism.resize(20, '\0');
  return bytes("ff 00*7 01 7f") + static_cast<char>(major) + static_cast<char>(minor) + mechanism +
         bytes("00*32");
}

inline std::string property(std::string_view name, std::string_view value) {
  return static_cast<char>(name.size()) + std::string{name} + big_endian(value.size(), 4) +
         std::string{value};
}

// READY as libzmq writes it.
inline std::string ready_of(std::string_view type, std::string_view identity = {}) {
  return framed_command("READY", property("Socket-Type", type) + property("Identity", identity));
}

// The content of a stream after the handshake, decoded in the simplest way.
struct stream_content {
  std::vector<parts> messages;        // the whole ones
  std::vector<std::string> commands;  // bodies
  bool command_inside = false;        // one stood between the parts of a message
  std::size_t unread = 0;             // bytes at the end that are not a whole message or command
};

inline stream_content content_of(std::string_view stream) {
  stream_content read;
  parts message;
  std::size_t whole = 0;
  for (std::size_t at = 0; at + 2 <= stream.size();) {
    const auto flags = static_cast<unsigned char>(stream[at]);
    const std::size_t width = (flags & long_size) != 0 ? 8 : 1;
    if (at + 1 + width > stream.size()) {
      break;
    }
    std::uint64_t size = 0;
    for (std::size_t i = 1; i <= width; ++i) {
      size = size << 8 | static_cast<unsigned char>(stream[at + i]);
    }
    at += 1 + width;
    if (size > stream.size() - at) {
      break;
    }
    std::string body{stream.substr(at, size)};
    at += size;
    if ((flags & command) != 0) {
      read.command_inside = read.command_inside || !message.empty();
      read.commands.push_back(std::move(body));
    } else {
      message.push_back(std::move(body));
      if ((flags & more) == 0) {
        read.messages.push_back(std::exchange(message, {}));
      }
    }
    if (message.empty()) {
      whole = at;
    }
  }
  read.unread = stream.size() - whole;
  return read;
}

}  // namespace zmtp::test
