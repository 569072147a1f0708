#pragma once
// Options and endpoints for the two ends of a measurement with TLS.

#include "zmtp/options.h"

#include <string>
#include <string_view>

namespace bench {

// Only the server has a certificate.
zmtp::socket_options tls_server();
zmtp::socket_options tls_client();
// Returns the tls+tcp:// endpoint of a tcp:// endpoint.
std::string over_tls(std::string_view endpoint);

}  // namespace bench
