#pragma once
// The options of a server's three ports, and of its connections to the other server. Pure.

#include "chp/server_options.h"
#include "zmtp/options.h"

namespace chp {

[[nodiscard]] zmtp::socket_options snapshot_port_options(const server_options& options);   // ROUTER
[[nodiscard]] zmtp::socket_options publisher_port_options(const server_options& options);  // XPUB
[[nodiscard]] zmtp::socket_options collector_port_options(
    const server_options& options);  // SUB or PULL

// DEALER to the other server's snapshot port, and SUB to its publisher.
[[nodiscard]] zmtp::socket_options source_options(zmtp::socket_options o,
                                                  const server_options& options);
[[nodiscard]] zmtp::socket_options feed_options(zmtp::socket_options o,
                                                const server_options& options);

}  // namespace chp
