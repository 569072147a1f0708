#pragma once
// Operations that every socket has: bind, connect, close. The base of the socket classes.

#include "zmtp/counters.h"
#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/options.h"
#include "zmtp/peer.h"
#include "zmtp/runtime/completion.h"
#include "zmtp/runtime/timer.h"
#include "zmtp/socket/monitor.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace zmtp {

namespace asio = boost::asio;

class socket_core;

// Base of the socket classes.
//
// Operations: several operations may be pending at once, and a handler may start new ones.
// Operations of one kind are served in the order of their calls. The socket writes messages that user
// code sends inside a handler of the socket when the handler returns, with one write per peer. It
// writes other messages shortly after the call.
//
// Executor: a handler runs in its associated executor, or in the executor of the socket if it has
// none. A handler never runs inside the function that starts its operation, even if the result is
// already available. An exception that a handler throws propagates out of `io_context::run()`.
//
// Lifetime: destroying the socket completes its operations with operation_aborted. The context
// continues to write queued messages for the linger time, and run() returns only then. The
// destructor does not block. A context that is stopped or destroyed discards the rest. In the child
// of a fork, asio::execution_context::notify_fork closes the socket at once without writing,
// because its connections belong to the parent.
//
// Thread safety: distinct objects safe, one object not. The executor of a socket must be serial: an
// io_context that one thread runs, or a strand. Call all members in this executor.
class socket {
public:
  using executor_type = asio::any_io_executor;

  socket(const socket&) = delete;
  socket& operator=(const socket&) = delete;
  socket(socket&&) noexcept = default;
  socket& operator=(socket&& other) noexcept;
  ~socket();

  [[nodiscard]] executor_type get_executor() const;

  // Listens at an endpoint, as docs/endpoints.md describes:
  // - tcp://address:port: "*" is every IPv4 address. The system chooses a port for 0 or *.
  // - tcp://interface:port
  // - ipc://path: creates a socket file, and removes it when the listener closes.
  // - ipc://@name
  // - inproc://name
  // Returns the bound endpoint, to which other sockets can connect. Throws
  // boost::system::system_error.
  // Errors: errc::bad_endpoint, unknown_transport, address_too_long, unknown_interface, path_taken,
  // socket_closed, and errors of the system such as address_in_use.
  endpoint bind(std::string_view at);
  endpoint bind(std::string_view at, error_code& ec);
  // Connects to tcp://host:port, optionally from a local address (tcp://source;host:port), to
  // ipc://path or to inproc://name. Returns immediately. The peer does not need to exist yet. The
  // socket connects in the background, and reconnects whenever the connection ends. Each attempt
  // resolves the host name again. Throws boost::system::system_error.
  // Errors: errc::bad_endpoint, unknown_transport, address_too_long, socket_closed.
  void connect(std::string_view to);
  void connect(std::string_view to, error_code& ec);
  // Undo one bind() or connect(). `at` and `from` are the endpoint that bind() returned or the one
  // that the user passed. unbind() keeps the accepted connections. disconnect() drops the messages
  // that are queued for the endpoint.
  // Errors: errc::bad_endpoint if the socket has no such endpoint, and those of a malformed
  // endpoint.
  void unbind(std::string_view at, error_code& ec);
  void disconnect(std::string_view from, error_code& ec);

  // Closes the socket. Completes pending operations with errc::socket_closed, and writes queued
  // messages for the linger time, as the destructor does.
  void close();
  // Closes the socket with another linger time. 0 discards queued messages. If the socket is
  // already closed, the new linger time counts from now.
  void close(std::chrono::milliseconds linger);
  // Closes the socket. Waits until the peers have read all queued messages, or until the linger
  // time ends. The linger time is socket_options::linger, or lasts until `until`.
  //
  // Lifetime: the socket may be destroyed before completion.
  // Completes with: error_code. No error if the peers read everything.
  // Errors:
  // - errc::timed_out: the linger time ended first, and the remaining messages are discarded.
  // - errc::connection_lost: a peer disconnected before it had read everything. Messages queued for
  //   it may be dropped (socket_counters::dropped_detached).
  // Cancellation: terminal, partial, total. The socket continues to linger.
  template <asio::completion_token_for<void(error_code)> Token = asio::deferred_t>
  [[nodiscard]] auto async_close(deadline until, Token&& token = {}) {
    return asio::async_initiate<Token, void(error_code)>(
        [this](done_handler h, deadline when) { start_close(when, std::move(h)); }, token, until);
  }
  template <asio::completion_token_for<void(error_code)> Token = asio::deferred_t>
  [[nodiscard]] auto async_close(Token&& token = {}) {
    return asio::async_initiate<Token, void(error_code)>(
        [this](done_handler h) { start_close(std::move(h)); }, token);
  }
  [[nodiscard]] bool is_open() const noexcept;

  // Waits until at least `count` peers are attached.
  //
  // Completes with: error_code.
  // Errors: errc::timed_out, socket_closed; operation_aborted.
  // Cancellation: terminal, partial, total.
  template <asio::completion_token_for<void(error_code)> Token = asio::deferred_t>
  [[nodiscard]] auto async_wait_peers(std::size_t count, deadline until, Token&& token = {}) {
    return asio::async_initiate<Token, void(error_code)>(
        [this](done_handler h, std::size_t least, deadline when) {
          start_wait_peers(least, when, std::move(h));
        },
        token, count, until);
  }
  template <asio::completion_token_for<void(error_code)> Token = asio::deferred_t>
  [[nodiscard]] auto async_wait_peers(std::size_t count, Token&& token = {}) {
    return async_wait_peers(count, deadline{}, std::forward<Token>(token));
  }
  // Waits until the kernel has taken all queued messages, or they are dropped because their peer
  // has disconnected.
  //
  // Completes with: error_code.
  // Errors: errc::timed_out, socket_closed; operation_aborted.
  // Cancellation: terminal, partial, total.
  template <asio::completion_token_for<void(error_code)> Token = asio::deferred_t>
  [[nodiscard]] auto async_wait_written(deadline until, Token&& token = {}) {
    return asio::async_initiate<Token, void(error_code)>(
        [this](done_handler h, deadline when) { start_wait_written(when, std::move(h)); }, token,
        until);
  }
  template <asio::completion_token_for<void(error_code)> Token = asio::deferred_t>
  [[nodiscard]] auto async_wait_written(Token&& token = {}) {
    return async_wait_written(deadline{}, std::forward<Token>(token));
  }

  [[nodiscard]] const socket_options& options() const noexcept;
  // Replaces the options. Copy options(), change the copy and pass it. Changes apply as follows:
  // - limits and heartbeats: immediately, also to open connections
  // - linger, reconnect, pending_handshakes and options of one socket type: from the next use
  // - high-water marks: to connections and endpoints that are created later
  // - backlog: to listeners that are created later
  // Throws boost::system::system_error.
  // Errors: errc::bad_option, without an effect; see find_change_fault().
  void set_options(const socket_options& options);
  void set_options(const socket_options& options, error_code& ec);
  [[nodiscard]] const socket_counters& counters() const noexcept;

  // Returns the attached peers, in no order.
  [[nodiscard]] std::vector<peer_status> peers() const;
  // Returns the properties of a peer, from its attach until the user has received its last message.
  // Returns nullptr outside this time. The result is valid until the end of this time.
  [[nodiscard]] const peer_info* peer(peer_id id) const noexcept;
  // Closes the connection of a peer, without ERROR. Drops the messages queued for an accepted
  // connection. The socket reconnects if it had connected to the peer's endpoint.
  void disconnect(peer_id peer);
  // Returns a monitor that reports all later events of endpoints and connections. If more than
  // `capacity` events are not received, the newest are dropped. Several monitors may exist.
  [[nodiscard]] zmtp::monitor monitor(std::size_t capacity = 1'024) const;

protected:
  explicit socket(std::shared_ptr<socket_core> core) noexcept : core_{std::move(core)} {}

  std::shared_ptr<socket_core> core_;

private:
  using done_handler = completion_handler<void(error_code)>;

  void close_with(error_code reason);
  void start_close(done_handler&& handler);
  void start_close(deadline until, done_handler&& handler);
  void start_wait_peers(std::size_t count, deadline until, done_handler&& handler);
  void start_wait_written(deadline until, done_handler&& handler);
};

}  // namespace zmtp
