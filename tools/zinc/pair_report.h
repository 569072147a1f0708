#pragma once
// What a node of a Binary Star pair tells scripts, on standard output, and people, in the log.

#include "bstar/node.h"

#include <boost/system/error_code.hpp>

#include <string>

namespace zinc {

// A line for scripts, at once.
void say(const std::string& line);
void say_active(bstar::epoch which);
void say_passive(bstar::passive_reason why);

void log_pair_event(bstar::event what);
void log_unwritten_epoch(boost::system::error_code ec);

}  // namespace zinc
