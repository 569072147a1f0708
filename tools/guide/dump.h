#pragma once
// Prints messages frame by frame, as the Guide's programs do.

#include "zmtp/message.h"

#include <string>
#include <string_view>

namespace guide {

// Prints each frame in one line, as CZMQ's zframe_print does: its length in three digits, and its bytes. The bytes are
// text if all of them are printable, else hexadecimal digits. Only the first bytes of a long frame are printed.
void dump_frames(const zmtp::message& m);
// Prints a separator, the routing id if it is not empty, and the frames, as zmsg_dump does on a ROUTER.
void dump(const zmtp::message& m, std::string_view routing_id = {});

[[nodiscard]] std::string hexadecimal(std::string_view bytes);

}  // namespace guide
