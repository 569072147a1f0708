#pragma once
// The state of a node of a Binary Star pair: lines on standard output for scripts, and the log.

#include "bstar/node.h"

#include <boost/system/error_code.hpp>

#include <string>

namespace zinc {

// Writes a line for scripts, at once. Throws std::system_error if it cannot.
void say(const std::string& line);
// The same for changes of the role. A line that cannot be written goes to the log, and the node goes on.
void say_active(bstar::epoch which);
void say_passive(bstar::passive_reason why);

void log_pair_event(bstar::event what);
void log_unwritten_epoch(boost::system::error_code ec);

}  // namespace zinc
