#pragma once
// tcp:// — the addresses of an endpoint, and listening at an endpoint.

#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/options.h"
#include "zmtp/transport/system_stream.h"

#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace zmtp::transport {

using tcp_addresses = std::vector<asio::ip::tcp::endpoint>;

// Returns the addresses that need no resolver. Empty if `host` is a name.
[[nodiscard]] tcp_addresses known_addresses(const std::string& host, std::uint16_t port);
// Returns the local addresses for `host`, IPv4 first: those of an interface if `host` is its name,
// or the wildcards if `host` is "*". Empty otherwise. Host names are not resolved here, because
// their address may belong to another machine later.
[[nodiscard]] tcp_addresses own_addresses(const std::string& host, std::uint16_t port);

// Binds and listens. Sets `bound` to the address with the actual port, to which other sockets can
// connect.
// Errors: errc::unknown_interface, and errors of the system such as address_in_use.
[[nodiscard]] error_code listen_tcp(listening_socket& socket, const tcp_address& at,
                                    const transport_options& options, int backlog,
                                    tcp_address& bound);

}  // namespace zmtp::transport
