#pragma once
// A stream of the operating system: its socket, with the options of Zinc, and the calls on it.

#include "zmtp/options.h"
#include "zmtp/transport/network.h"

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/system/error_code.hpp>

#include <cerrno>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace zmtp::transport {

using stream_socket = asio::generic::stream_protocol::socket;
using listening_socket = asio::basic_socket_acceptor<asio::generic::stream_protocol>;
using stream_address = asio::generic::stream_protocol::endpoint;

// The error of the last system call.
[[nodiscard]] inline error_code last_error() noexcept {
  if (errno == EAGAIN || errno == EWOULDBLOCK) {
    return asio::error::would_block;
  }
  return {errno, boost::system::system_category()};
}

// Creates a socket of this family (AF_INET, AF_INET6, AF_UNIX): non-blocking, closed on exec, with
// `options` set. Closes a socket that was open before.
[[nodiscard]] error_code open(stream_socket& s, int family, const transport_options& options);
[[nodiscard]] error_code open(listening_socket& s, int family, const transport_options& options);

// Accepts a pending connection: non-blocking and closed on exec from the start, with options set.
// Returns asio::error::would_block if there is none, or the error of the system.
[[nodiscard]] error_code accept(listening_socket& from, stream_socket& to,
                                const transport_options& options);

class system_stream final : public stream {
public:
  // Not connected: connect socket(), or accept into it.
  explicit system_stream(const asio::any_io_executor& executor) : socket_{executor} {}

  [[nodiscard]] stream_socket& socket() noexcept { return socket_; }

  [[nodiscard]] std::size_t read_some(std::span<std::byte> to, error_code& ec) noexcept override;
  [[nodiscard]] std::size_t write_some(std::span<const std::span<const std::byte>> pieces,
                                       error_code& ec) noexcept override;
  void wait(stream_side side, std::shared_ptr<stream_user> user) override;
  void shutdown_send() noexcept override;
  void shutdown() noexcept override;
  void close() noexcept override;
  [[nodiscard]] acknowledgement acknowledged() const noexcept override;
  [[nodiscard]] std::size_t unacknowledged() const noexcept override;
  [[nodiscard]] bool reset() noexcept override;
  [[nodiscard]] remote_end remote() const override;
  // Gives the descriptor away and closes. Returns -1 after an error.
  [[nodiscard]] int release() noexcept;

private:
  // The member of Asio's socket is not const, though it changes nothing.
  [[nodiscard]] int descriptor() const noexcept {
    return const_cast<stream_socket&>(socket_).native_handle();
  }

  stream_socket socket_;
};

}  // namespace zmtp::transport
