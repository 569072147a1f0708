#pragma once
// An octet stream to a peer, whatever the transport, and its non-blocking reads and writes.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/system/error_code.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace zmtp::transport {

namespace asio = boost::asio;
using boost::system::error_code;

// Non-blocking from the start; see set_up().
using stream = asio::generic::stream_protocol::socket;

// Makes a connected socket what a conversation needs: non-blocking, without Nagle's delay, closed on
// exec, probed by TCP keepalive after 30 s of silence.
void set_up(stream& s) noexcept;

// Reads what is there: 0 octets with asio::error::would_block if nothing is.
[[nodiscard]] std::size_t read_some(stream& s, std::span<std::byte> to, error_code& ec) noexcept;
// Writes what the kernel takes of at most 64 pieces.
[[nodiscard]] std::size_t write_some(stream& s, std::span<const std::span<const std::byte>> pieces,
                                     error_code& ec) noexcept;

// The peer's kernel has acknowledged all that was written.
[[nodiscard]] bool acknowledged(stream& s) noexcept;
// 127.0.0.1:40312; empty if it cannot be told.
[[nodiscard]] std::string remote_address(const stream& s);

}  // namespace zmtp::transport
