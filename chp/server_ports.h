#pragma once
// The options of a server's three ports, and the messages of its publisher's peers. Pure, so that
// the simulation uses it too.

#include "chp/server_options.h"
#include "chp/server_state.h"
#include "zmtp/metadata.h"
#include "zmtp/options.h"
#include "zmtp/peer.h"

namespace chp {

[[nodiscard]] zmtp::socket_options snapshot_port_options(const server_options& options);   // ROUTER
[[nodiscard]] zmtp::socket_options publisher_port_options(const server_options& options);  // XPUB
[[nodiscard]] zmtp::socket_options collector_port_options(
    const server_options& options);  // SUB or PULL

// Passes an event of a publisher's peer to the state. `said` is the peer's metadata, or empty if
// the peer has disconnected.
void on_subscriber(server_state& state, const zmtp::routed_message& item,
                   const zmtp::metadata& said, server_actions& out);

}  // namespace chp
