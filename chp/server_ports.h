#pragma once
// How the three ports of a server are made, and what its publisher's peers say. Pure: for the shell on real sockets and
// for a simulation of it.

#include "chp/server_options.h"
#include "chp/server_state.h"
#include "zmtp/metadata.h"
#include "zmtp/options.h"
#include "zmtp/routing/routed_message.h"

namespace chp {

[[nodiscard]] zmtp::socket_options snapshot_port_options(const server_options& options);   // ROUTER
[[nodiscard]] zmtp::socket_options publisher_port_options(const server_options& options);  // XPUB
[[nodiscard]] zmtp::socket_options collector_port_options(
    const server_options& options);  // SUB or PULL

// Hands to the state what has come from one of the publisher's peers. `said`: what that announced, nothing of one that
// is gone already.
void on_subscriber(server_state& state, const zmtp::routed_message& item,
                   const zmtp::metadata& said, server_actions& out);

}  // namespace chp
