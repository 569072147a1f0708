#pragma once
// What every wire socket can do: bind, connect, close. Base of the socket classes.

#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/options.h"
#include "zmtp/routing/socket_state.h"
#include "zmtp/socket/completion_handler.h"
#include "zmtp/socket/deadline.h"
#include "zmtp/socket/monitor.h"
#include "zmtp/socket/peer_status.h"

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

// Operations of a socket may be started again from its handlers; several may wait at once and
// complete in the order of their calls. What is sent while user code runs that the socket resumed is
// written when that returns, in one write per peer; what is sent from elsewhere is written soon after.
//
// Lifetime: destroying a socket completes its operations with operation_aborted and goes on writing
// what is queued, for the linger time, while the context runs; the destructor does not wait. A context
// that is stopped or destroyed discards the rest. In the child of a fork that the context is notified of
// (asio::execution_context::notify_fork) a socket is closed at once, and nothing is written: its connections
// are the parent's.
//
// Thread safety: distinct objects safe, one object not. A socket belongs to its executor, which must
// be serial (an io_context run by one thread, or a strand); call its members there.
class socket {
public:
  using executor_type = asio::any_io_executor;

  socket(const socket&) = delete;
  socket& operator=(const socket&) = delete;
  socket(socket&&) noexcept = default;
  socket& operator=(socket&& other) noexcept;
  ~socket();

  [[nodiscard]] executor_type get_executor() const;

  // Listens at tcp://address:port, where "*" is every IPv4 address, and port 0 or * the system's choice;
  // at tcp://interface:port; at ipc://path, whose file is made and goes with the listener; or at
  // ipc://@name. See docs/endpoints.md. Returns the endpoint as bound, one that can be connected to.
  // Throws boost::system::system_error.
  // Errors: errc::bad_endpoint, errc::unknown_transport, errc::address_too_long,
  // errc::unknown_interface, errc::path_taken, and the system's, such as address_in_use.
  endpoint bind(std::string_view at);
  endpoint bind(std::string_view at, error_code& ec);
  // Connects to tcp://host:port, perhaps from an address of ours (tcp://source;host:port), or to
  // ipc://path, and again whenever the connection is lost, resolving the name anew each time. Returns
  // at once: there need be no peer yet. Throws boost::system::system_error.
  // Errors: errc::bad_endpoint, errc::unknown_transport, errc::address_too_long.
  void connect(std::string_view to);
  void connect(std::string_view to, error_code& ec);
  // Undo one bind or connect, with the endpoint that it returned or was given. Peers that came through
  // a listener stay. What is queued for an endpoint is dropped with it.
  // Errors: errc::bad_endpoint if there is none such.
  void unbind(std::string_view at, error_code& ec);
  void disconnect(std::string_view from, error_code& ec);

  // Completes what waits with errc::socket_closed and goes on writing like the destructor does.
  void close();
  // The same with another linger time; 0 discards what is queued. Of a socket that is closed already
  // the linger time becomes this one, from now.
  void close(std::chrono::milliseconds linger);
  // Closes likewise, and waits until all that was queued is written and the peers have read to the end,
  // or the linger time (socket_options::linger, or up to `until`) is over.
  // Lifetime: the socket may be destroyed meanwhile.
  // Completes with error_code: none if everything was written; errc::timed_out if the linger time was
  // over before, and the rest is discarded; connection_lost if a peer went away before it had read to
  // the end, perhaps with what was queued for it (socket_counters::dropped_detached).
  // Cancellation: terminal, partial, total; the socket goes on lingering.
  // Errors: as above, operation_aborted.
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
  // Completes with error_code. Cancellation: terminal, partial, total.
  // Errors: errc::timed_out, socket_closed, operation_aborted.
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
  // Waits until all that was queued is in the hands of the kernel, or gone with its peer.
  // Completes with error_code. Cancellation: terminal, partial, total.
  // Errors: errc::timed_out, socket_closed, operation_aborted.
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
  // Changes options: take options(), change some, give them back. Limits of traffic and heartbeats hold at
  // once, for living connections too; linger, reconnection, pending_handshakes and what concerns one type, from
  // then on; marks for pipes to come; backlog for listeners to come.
  // Throws boost::system::system_error.
  // Errors: errc::bad_option (see validate_change()); nothing has changed then.
  void set_options(const socket_options& options);
  void set_options(const socket_options& options, error_code& ec);
  [[nodiscard]] const socket_counters& counters() const noexcept;

  // The peers that are attached now, in no order.
  [[nodiscard]] std::vector<peer_status> peers() const;
  // What is known of one peer, from its attach until the user has received the last of it; else nothing.
  // Valid until then.
  [[nodiscard]] const peer_info* peer(peer_id id) const noexcept;
  // Closes a peer's connection silently. One that was accepted is gone, with what was queued for it; to
  // an endpoint the socket connects again.
  void disconnect(peer_id peer);
  // Watches from now on what happens to endpoints and connections. Of more events than `capacity` that
  // were not received the newest are lost. Several may watch.
  [[nodiscard]] zmtp::monitor monitor(std::size_t capacity = 1'024) const;

protected:
  explicit socket(std::shared_ptr<socket_core> core) noexcept : core_{std::move(core)} {}

  std::shared_ptr<socket_core> core_;

private:
  using done_handler = completion_handler<void(error_code)>;

  void close_with(error_code reason);
  void start_close(done_handler handler);
  void start_close(deadline until, done_handler handler);
  void start_wait_peers(std::size_t count, deadline until, done_handler handler);
  void start_wait_written(deadline until, done_handler handler);
};

}  // namespace zmtp
