#pragma once
// Checks the endpoints that a client receives.

#include <string>
#include <string_view>
#include <vector>

namespace zmtp {

// Checks that all endpoints are valid when the client is created, not when it first uses one.
// Throws boost::system::system_error: call_errc::no_servers, and what zmtp::socket::connect throws.
void check_servers(const std::vector<std::string>& servers, std::string_view who);

}  // namespace zmtp
