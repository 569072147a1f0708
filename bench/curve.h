#pragma once
// Options for the two ends of a measurement with CURVE.

#include "zmtp/options.h"

namespace bench {

// Lets in every client that knows the server's key.
zmtp::socket_options curve_server();
zmtp::socket_options curve_client();

}  // namespace bench
