#pragma once
// The endpoints that a client is given.

#include <string>
#include <string_view>
#include <vector>

namespace zmtp {

// That all of them can be connected to is found out when a client is made, not when it turns to one.
// Throws boost::system::system_error: call_errc::no_servers, what zmtp::socket::connect throws.
void check_servers(const std::vector<std::string>& servers, std::string_view who);

}  // namespace zmtp
