#pragma once
// The parts of requests and replies on the command line.

#include "tools/zinc/commands.h"
#include "zmtp/message.h"

namespace zinc {

// Throws std::runtime_error if a file cannot be read, and too_large.
[[nodiscard]] zmtp::message request_body(const request_arguments& arguments);
// Writes a line on stdout. Throws std::system_error if it cannot.
void print_reply(const zmtp::message& reply, bool as_json);

}  // namespace zinc
