#pragma once
// Messages as the Guide's programs show them, frame by frame.

#include "zmtp/message.h"

#include <string>
#include <string_view>

namespace guide {

// Each frame in a line, as CZMQ's zframe_print has it: its length in three digits, and its bytes, as text if
// all of them are, else in hexadecimal digits; of more than a line takes, the beginning.
void dump_frames(const zmtp::message& m);
// The same below a line, as zmsg_dump has it, behind the routing id that a ROUTER has in front.
void dump(const zmtp::message& m, std::string_view routing_id = {});

[[nodiscard]] std::string hexadecimal(std::string_view bytes);

}  // namespace guide
