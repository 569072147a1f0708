#pragma once
// Messages as the Guide's programs show them, frame by frame.

#include "zmtp/message.h"

namespace guide {

// Each frame in a line: its length in three digits, and its octets, as text if all of them are, else in
// hexadecimal digits.
void dump(const zmtp::message& m);

}  // namespace guide
