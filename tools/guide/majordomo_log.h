#pragma once
// What the Guide's Majordomo programs log when they are asked to (-v): their messages, frame by frame.

#include "mdp/broker.h"
#include "mdp/conversation_handlers.h"

#include <boost/system/error_code.hpp>

#include <string>

namespace guide {

// Each of nothing, unless it is wanted.
[[nodiscard]] mdp::broker_handlers broker_log(bool wanted);
// These begin with what they connect to.
[[nodiscard]] mdp::conversation_handlers worker_log(bool wanted, const std::string& broker);
// Clients of the Guide on a REQ do not see the empty frame.
enum class client_socket { req, dealer };
[[nodiscard]] mdp::conversation_handlers client_log(bool wanted, const std::string& broker,
                                                    client_socket on = client_socket::req);
// Of a request that was not answered; why, which the Guide's do not say, on standard error.
void log_unanswered(bool wanted, const boost::system::error_code& why,
                    client_socket on = client_socket::req);

}  // namespace guide
