#pragma once
// A connection whose messages are edited before a program reads them: a planted fault of its peer.

#include "zmtp/message.h"
#include "zmtp/simulation/process.h"

#include <functional>

namespace chp::simulation {

// Changes a message, and returns how often it is read.
using message_edit = std::function<unsigned(zmtp::message&)>;

// Every message that `of` reads is edited from its next start on. Without TLS and CURVE.
void edit_reads(zmtp::simulation::process& of, message_edit edit);

}  // namespace chp::simulation
