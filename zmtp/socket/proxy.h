#pragma once
// Forwards between two sockets, whatever their types. Face of zmtp/routing/proxy_state.h.

#include "zmtp/routing/proxy_state.h"
#include "zmtp/socket/completion_handler.h"
#include "zmtp/socket/message_ends.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>

#include <concepts>
#include <memory>
#include <utility>

namespace zmtp {

namespace asio = boost::asio;

class rep_socket;

// Whether messages can go one way at least.
template <class Frontend, class Backend>
concept can_be_proxied = (message_source<Frontend> && message_sink<Backend>) ||
                         (message_source<Backend> && message_sink<Frontend>);

// What comes on one side goes out on the other as it is, both ways where both can. Between ROUTER and
// DEALER requests keep their envelopes, so that proxies chain, ours and others'. XSUB and XPUB pass
// subscriptions upstream.
//
// Nothing is dropped that the sockets themselves do not drop: a message is taken from one side when the
// other has room, and what waits beyond that, waits with its sender. Of each direction one message at
// most is in the proxy's hand, when a pattern knows only by sending that it has no room (a ROUTER with
// socket_options::mandatory, whose slow peer then holds up the others; without, it drops, as RFC 28 has
// it).
//
// Lifetime: the sockets must have one executor, and outlive the proxy's runs: end one by terminate(), or
// by closing a socket, before they go. Destroying the proxy ends its run with operation_aborted, after which
// it touches no socket.
//
// Thread safety: distinct objects safe, one object not; call its members in the executor of its sockets.
class proxy {
public:
  using executor_type = asio::any_io_executor;

  // A socket with itself sends what it receives.
  template <class Frontend, class Backend>
  requires can_be_proxied<Frontend, Backend> proxy(Frontend& frontend, Backend& backend)
      : proxy{frontend.get_executor()} {
    if constexpr (message_source<Frontend> && message_sink<Backend>) {
      connect(direction::to_backend, source_of(frontend), sink_of(backend));
    }
    if constexpr (message_source<Backend> && message_sink<Frontend>) {
      if (static_cast<const void*>(&frontend) != static_cast<const void*>(&backend)) {
        connect(direction::to_frontend, source_of(backend), sink_of(frontend));
      }
    }
  }
  proxy(const proxy&) = delete;
  proxy& operator=(const proxy&) = delete;
  proxy(proxy&&) noexcept = default;
  proxy& operator=(proxy&&) noexcept;
  ~proxy();

  // A copy of everything that is forwarded, either way, goes to this socket too. It keeps what it does not
  // drop: one that takes nothing (a PUSH without a peer) holds up the proxy. Not during a run.
  template <message_sink Capture>
  void capture_to(Capture& capture) {
    set_capture(sink_of(capture));
  }
  // During runs, does what comes on this socket: PAUSE, RESUME, TERMINATE and STATISTICS, and answers
  // (proxy_state::on_command). A REP answers everything, because it must. Not during a run.
  template <message_source Control>
  void obey(Control& control) {
    if constexpr (message_sink<Control>) {
      set_control(source_of(control), sink_of(control), std::same_as<Control, rep_socket>);
    } else {
      set_control(source_of(control), nullptr, false);
    }
  }

  // Forwards until it is told to end.
  // Completes with error_code: none after terminate() or TERMINATE, errc::socket_closed when one of the
  // sockets was closed.
  // Cancellation: terminal, partial, total: the run ends with operation_aborted. However it ends, no
  // message is lost: what is in hand goes first in the next run.
  // Errors: asio::error::already_started while there is a run.
  template <asio::completion_token_for<void(error_code)> Token = asio::deferred_t>
  [[nodiscard]] auto async_run(Token&& token = {}) {
    return asio::async_initiate<Token, void(error_code)>(
        [this](done_handler h) { start(std::move(h)); }, token);
  }

  // Forwards nothing until resume(), also in runs to come. Meanwhile messages wait with who sent them.
  void pause();
  void resume();
  // Ends the run; without one nothing happens.
  void terminate();

  [[nodiscard]] executor_type get_executor() const;
  [[nodiscard]] const proxy_statistics& statistics() const noexcept;

private:
  using direction = proxy_state::direction;
  class core;

  explicit proxy(asio::any_io_executor executor);
  void connect(direction way, std::unique_ptr<any_source> from, std::unique_ptr<any_sink> to);
  void set_capture(std::unique_ptr<any_sink> capture);
  void set_control(std::unique_ptr<any_source> commands, std::unique_ptr<any_sink> answers,
                   bool answers_all);
  void start(done_handler handler);

  std::shared_ptr<core> core_;
};

}  // namespace zmtp
