#pragma once
// The commands of ZMTP and of its mechanisms, as records. Leaves secrets out. Pure.

#include "tools/zinc/dump/record.h"
#include "zmtp/command.h"
#include "zmtp/error.h"
#include "zmtp/metadata.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace zinc::dump {

enum class mechanism_kind : std::uint8_t {
  null,
  plain,
  curve,
  other,  // unknown to Zinc: names and sizes are shown, and no content
};
[[nodiscard]] mechanism_kind mechanism_of(std::string_view name);

// Adds name and fields of a command of the handshake. Sets `announced` if the command has metadata in
// clear text. Returns the fault of a malformed command. Never shows bytes that it does not understand,
// because they can be a password.
[[nodiscard]] zmtp::error_code add_handshake_command(record& to, mechanism_kind how,
                                                     const zmtp::command::named& command,
                                                     std::optional<zmtp::metadata>& announced);

// Adds name and fields of a command after the handshake, of which `body` is whole.
[[nodiscard]] zmtp::error_code add_traffic_command(record& to, std::string_view body);

}  // namespace zinc::dump
