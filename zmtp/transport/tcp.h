#pragma once
// tcp:// — which addresses an endpoint means, and listening at one.

#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/options.h"
#include "zmtp/transport/stream.h"

#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace zmtp::transport {

using tcp_addresses = std::vector<asio::ip::tcp::endpoint>;

// The addresses that are known without asking anybody; none if `host` is a name.
[[nodiscard]] tcp_addresses known_addresses(const std::string& host, std::uint16_t port);
// The addresses of this machine that `host` means, IPv4 first: those of an interface if it is the name
// of one, the wildcards if it is "*". None if it is something else: a host's name means an address
// that may be another machine's tomorrow.
[[nodiscard]] tcp_addresses own_addresses(const std::string& host, std::uint16_t port);

// Binds and listens; `bound` becomes the address with the real port, one that can be connected to.
// Errors: errc::unknown_interface, and the system's, such as address_in_use.
[[nodiscard]] error_code listen_tcp(listening_socket& socket, const tcp_address& at,
                                    const transport_options& options, int backlog,
                                    tcp_address& bound);

}  // namespace zmtp::transport
