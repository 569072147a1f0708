#pragma once
// An octet stream to a peer, whatever the transport, and its non-blocking reads and writes.

#include "zmtp/options.h"
#include "zmtp/process_credentials.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/system/error_code.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace zmtp::transport {

namespace asio = boost::asio;
using boost::system::error_code;

using stream = asio::generic::stream_protocol::socket;
using listening_socket = asio::basic_socket_acceptor<asio::generic::stream_protocol>;
using stream_address = asio::generic::stream_protocol::endpoint;

// Makes a new socket of this family (AF_INET, AF_INET6, AF_UNIX), non-blocking, closed on exec and set
// up; whatever was open before is closed.
[[nodiscard]] error_code open(stream& s, int family, const transport_options& options);
[[nodiscard]] error_code open(listening_socket& s, int family, const transport_options& options);

// Takes a connection that waits, non-blocking and closed on exec from the start, set up. With
// asio::error::would_block if there is none, with the system's error if it cannot be had.
[[nodiscard]] error_code accept(listening_socket& from, stream& to,
                                const transport_options& options);

// Reads what is there: 0 octets with asio::error::would_block if nothing is.
[[nodiscard]] std::size_t read_some(stream& s, std::span<std::byte> to, error_code& ec) noexcept;
// Writes what the kernel takes of at most 64 pieces.
[[nodiscard]] std::size_t write_some(stream& s, std::span<const std::span<const std::byte>> pieces,
                                     error_code& ec) noexcept;

// 127.0.0.1:40312 or [::1]:40312; of ipc the name that the listening side has, /run/a or @a; empty if
// it cannot be told.
[[nodiscard]] std::string remote_address(const stream& s);

// The address of the peer without its port: of IPv6, or of IPv4 as IPv6 writes it (::ffff:192.0.2.1).
// Nothing on ipc, or if it cannot be told.
[[nodiscard]] std::optional<std::array<std::uint8_t, 16>> remote_host(const stream& s);

// Of the process at the other end, which is known where it is one of this machine: on ipc.
[[nodiscard]] std::optional<process_credentials> remote_credentials(stream& s) noexcept;

}  // namespace zmtp::transport
