#pragma once
// A byte stream to a peer, for any transport, with non-blocking reads and writes.

#include "zmtp/options.h"
#include "zmtp/peer.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/system/error_code.hpp>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace zmtp::transport {

namespace asio = boost::asio;
using boost::system::error_code;

// Returns the error of the last system call.
[[nodiscard]] inline error_code last_error() noexcept {
  if (errno == EAGAIN || errno == EWOULDBLOCK) {
    return asio::error::would_block;
  }
  return {errno, boost::system::system_category()};
}

using stream = asio::generic::stream_protocol::socket;
using listening_socket = asio::basic_socket_acceptor<asio::generic::stream_protocol>;
using stream_address = asio::generic::stream_protocol::endpoint;

// Creates a socket of this family (AF_INET, AF_INET6, AF_UNIX): non-blocking, closed on exec, with
// `options` set. Closes a socket that was open before.
[[nodiscard]] error_code open(stream& s, int family, const transport_options& options);
[[nodiscard]] error_code open(listening_socket& s, int family, const transport_options& options);

// Accepts a pending connection: non-blocking and closed on exec from the start, with options set.
// Returns asio::error::would_block if there is none, or the error of the system.
[[nodiscard]] error_code accept(listening_socket& from, stream& to,
                                const transport_options& options);

// Reads available bytes. Returns 0 with asio::error::would_block if there are none.
[[nodiscard]] std::size_t read_some(stream& s, std::span<std::byte> to, error_code& ec) noexcept;
// Writes as many bytes as the kernel takes, from at most 64 pieces.
[[nodiscard]] std::size_t write_some(stream& s, std::span<const std::span<const std::byte>> pieces,
                                     error_code& ec) noexcept;

// Returns 127.0.0.1:40312 or [::1]:40312. For ipc, returns the name of the listening side, /run/a
// or @a. Returns an empty string if the address is unknown.
[[nodiscard]] std::string remote_address(const stream& s);

// Returns the address of the peer without its port: an IPv6 address, or an IPv4 address mapped into
// IPv6 (::ffff:192.0.2.1). Returns nothing for ipc or if the address is unknown.
[[nodiscard]] std::optional<std::array<std::uint8_t, 16>> remote_host(const stream& s);

// Returns the credentials of the process at the other end. They are known only for ipc.
[[nodiscard]] std::optional<process_credentials> remote_credentials(stream& s) noexcept;

}  // namespace zmtp::transport
