#pragma once
// How bytes get to another machine: the interfaces through which sockets listen, connect, read and
// write. By default, a socket uses the operating system. A simulation, or TLS over another stream,
// implements the same interfaces.

#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/options.h"
#include "zmtp/peer.h"
#include "zmtp/transport/acknowledgement.h"

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution_context.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace zmtp::transport {

namespace asio = boost::asio;

enum class stream_side : std::uint8_t { read, write };

// Waits for a stream.
class stream_user {
public:
  // The stream may be ready. With an error, it will not become ready: operation_aborted after
  // stream::close().
  virtual void on_ready(stream_side side, error_code ec) = 0;

protected:
  ~stream_user() = default;
};

// The other end of a stream, as far as it is known.
struct remote_end {
  // 127.0.0.1:40312 or [::1]:40312. For ipc, the name of the listening side, /run/a or @a. Empty if
  // the address is unknown.
  std::string address;
  // The address without its port: an IPv6 address, or an IPv4 address mapped into IPv6
  // (::ffff:192.0.2.1). Absent for ipc, or if the address is unknown.
  std::optional<std::array<std::uint8_t, 16>> host;
  // Known only for ipc.
  std::optional<process_credentials> process;
  // The name in the certificate that the peer has proved to own. Only of TLS.
  std::string certificate_name{};
};

// A connected stream of bytes. Reading and writing never block. The destructor closes.
class stream {
public:
  static constexpr std::size_t max_pieces = 64;

  stream() = default;
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;
  virtual ~stream() = default;

  // Reads available bytes. Returns 0 with asio::error::would_block if there are none, and with
  // asio::error::eof after the last byte of the peer.
  [[nodiscard]] virtual std::size_t read_some(std::span<std::byte> to, error_code& ec) noexcept = 0;
  // Writes as many bytes as the stream takes, from at most `max_pieces` pieces. Returns 0 with
  // asio::error::would_block if it takes none.
  [[nodiscard]] virtual std::size_t write_some(std::span<const std::span<const std::byte>> pieces,
                                               error_code& ec) noexcept = 0;
  // Calls `user` once, in the stream's executor and never inside this function, when the side may be
  // ready. One wait at a time for each side. Throws std::bad_alloc.
  virtual void wait(stream_side side, std::shared_ptr<stream_user> user) = 0;
  // The peer reads eof after the bytes that were written.
  virtual void shutdown_send() noexcept = 0;
  // That, and reads here end with eof.
  virtual void shutdown() noexcept = 0;
  // Ends waits with operation_aborted.
  virtual void close() noexcept = 0;

  [[nodiscard]] virtual acknowledgement acknowledged() const noexcept = 0;
  // Bytes that are written and not acknowledged yet. The end of the stream counts as one. For a
  // local stream: bytes that the peer has not read yet.
  [[nodiscard]] virtual std::size_t unacknowledged() const noexcept = 0;
  // Returns whether the peer has disconnected without reading everything. Returns true only once.
  [[nodiscard]] virtual bool reset() noexcept = 0;
  [[nodiscard]] virtual remote_end remote() const = 0;
  // Returns the memory that the stream uses for a message that the user has not read completely.
  [[nodiscard]] virtual std::size_t held() const noexcept { return 0; }
};

// Waits for an acceptor.
class acceptor_user {
public:
  // A connection may be available. With an error, none will be: operation_aborted after
  // acceptor::close().
  virtual void on_acceptable(error_code ec) = 0;

protected:
  ~acceptor_user() = default;
};

// Listens at one endpoint and accepts connections. The destructor closes.
class acceptor {
public:
  acceptor() = default;
  acceptor(const acceptor&) = delete;
  acceptor& operator=(const acceptor&) = delete;
  virtual ~acceptor() = default;

  // Listens at `at`, which must be bindable.
  // Errors: errc::unknown_transport, errc::unknown_interface, errc::path_taken,
  // errc::address_too_long, and errors of the system such as address_in_use.
  [[nodiscard]] virtual error_code open(const endpoint& at, int backlog) = 0;
  // The endpoint to which other sockets can connect.
  [[nodiscard]] virtual const endpoint& bound() const noexcept = 0;
  // Calls `user` once, in the acceptor's executor and never inside this function. One wait at a
  // time. The acceptor must outlive the wait, so `user` owns it. Needs no memory.
  virtual void wait(std::shared_ptr<acceptor_user> user) = 0;
  // Returns a pending connection, or nothing with asio::error::would_block if there is none, or
  // with the error of the system.
  [[nodiscard]] virtual std::unique_ptr<stream> accept(error_code& ec) = 0;
  // Stops listening. Ends the wait with operation_aborted.
  virtual void close() noexcept = 0;
};

// One attempt to connect to an endpoint.
class connector {
public:
  // Without an error, the stream is connected.
  using handler = asio::any_completion_handler<void(error_code, std::unique_ptr<stream>)>;

  connector() = default;
  connector(const connector&) = delete;
  connector& operator=(const connector&) = delete;
  virtual ~connector() = default;

  // `to` must be connectable, and not inproc. Completes with the stream, or with the error of the
  // last address, or with timed_out. Never calls the handler inside this function.
  virtual void start(const endpoint& to, std::chrono::milliseconds time_limit, handler on_done) = 0;
  // Completes the attempt with operation_aborted.
  virtual void cancel() = 0;
};

// Makes what a socket listens and connects with. Belongs to an execution context.
class network {
public:
  network() = default;
  network(const network&) = delete;
  network& operator=(const network&) = delete;
  virtual ~network() = default;

  [[nodiscard]] virtual std::unique_ptr<acceptor> make_acceptor(
      const asio::any_io_executor& executor, const transport_options& options) = 0;
  [[nodiscard]] virtual std::shared_ptr<connector> make_connector(
      const asio::any_io_executor& executor, const transport_options& options) = 0;
  // Returns what a socket uses instead of `whole`, whose bytes are those of ZMTP. `carrier` is a
  // stream of this network, below `whole` or `whole` itself. Simulations observe the bytes here.
  [[nodiscard]] virtual std::unique_ptr<stream> wrapped(std::unique_ptr<stream> whole,
                                                        const stream& /*carrier*/) {
    return whole;
  }

  // Returns the network of the executor's context: the installed one, or else the operating
  // system's.
  [[nodiscard]] static network& of(const asio::any_io_executor& executor);
  // Call before the context has its first socket. Throws asio::service_already_exists otherwise.
  static void install(asio::execution_context& context, std::unique_ptr<network> network);
};

}  // namespace zmtp::transport
