#pragma once
// The common part of all handshake commands: their limit, ERROR, and metadata.

#include "zmtp/command.h"
#include "zmtp/error.h"
#include "zmtp/metadata.h"
#include "zmtp/options.h"

#include <string>
#include <string_view>

namespace zmtp {

// Splits the body of a handshake command. After ERROR, `error_reason` has the reason of the peer.
// Errors: errc::command_too_large, bad_command, refused_by_peer (an ERROR).
[[nodiscard]] result<command::named> read_handshake_command(std::string_view body,
                                                            const limits& limit,
                                                            std::string& error_reason);

// Returns the wire form of the properties.
[[nodiscard]] std::string encoded(const metadata& properties);

}  // namespace zmtp
