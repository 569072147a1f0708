#pragma once
// The log of the Guide's Majordomo programs with -v: their messages, frame by frame.

#include "mdp/broker.h"
#include "mdp/conversation_handlers.h"

#include <boost/system/error_code.hpp>

#include <string>

namespace guide {

// Each function returns handlers that log, or empty handlers if `wanted` is false.
[[nodiscard]] mdp::broker_handlers broker_log(bool wanted);
// These two first log the broker that the program connects to.
[[nodiscard]] mdp::conversation_handlers worker_log(bool wanted, const std::string& broker);
// The Guide's clients with a REQ socket do not log the empty frame.
enum class client_socket { req, dealer };
[[nodiscard]] mdp::conversation_handlers client_log(bool wanted, const std::string& broker,
                                                    client_socket on = client_socket::req);
// Logs that a request has no reply. Prints the error on standard error, which the Guide's programs do not do.
void log_unanswered(bool wanted, const boost::system::error_code& why,
                    client_socket on = client_socket::req);

}  // namespace guide
