#pragma once
// One line of zinc dump: a thing that one side of a connection has sent. Words.

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace zinc::dump {

enum class side : std::uint8_t { connecting, accepting };

enum class record_kind : std::uint8_t {
  opened,    // a connection
  greeting,  // the first 64 bytes
  command,   // a command of ZMTP
  message,   // all its parts
  fault,     // bytes that cannot be decoded; nothing of this side follows
  closed,    // a connection
};

// Text is bytes of the peer, and is escaped when it is printed.
struct field {
  std::string name;
  std::variant<std::string, std::uint64_t> value;
};

struct part {
  std::uint64_t size = 0;
  std::string start{};  // its first bytes; see decoder_options::bodies
};

struct record {
  record_kind kind = record_kind::opened;
  side from = side::connecting;
  std::uint64_t offset = 0;  // the place of the first byte in the stream of this side
  // The name of a command, such as READY. A message that is a command of a protocol has that name, such
  // as "MDP/Client 0.2 REQUEST". A fault has its text here.
  std::string name{};
  std::vector<field> fields{};
  std::vector<part> parts{};     // the parts of a message
  std::uint64_t more_parts = 0;  // that are counted only
};

using record_sink = std::function<void(record&&)>;

struct decoder_options {
  std::size_t bodies = 32;  // bytes of each part that are printed
};

}  // namespace zinc::dump
