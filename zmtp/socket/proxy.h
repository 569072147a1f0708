#pragma once
// Forwards messages between two sockets of any type. zmtp/routing/proxy_state.h makes the decisions.

#include "zmtp/counters.h"
#include "zmtp/runtime/completion.h"
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

// Whether messages can be forwarded in at least one direction.
template <class Frontend, class Backend>
concept can_be_proxied = (message_source<Frontend> && message_sink<Backend>) ||
                         (message_source<Backend> && message_sink<Frontend>);

// Forwards messages unchanged between two sockets, in each direction that both support. Between
// ROUTER and DEALER, requests keep their envelopes, so that proxies can form a chain, also with
// other implementations. XSUB and XPUB forward subscriptions upstream.
//
// A proxy forwards batches as they were received. Between sockets other than ROUTER, it does not
// copy the messages. It drops nothing that the sockets themselves do not drop. It takes a batch
// from one side only if the other side can take a message. The part of the batch that does not fit
// then waits in the proxy, and further messages wait at their senders. So a proxy holds at most one
// batch per direction, which ends at 1024 messages, or with the read that reaches 256 KiB. On a
// ROUTER with socket_options::mandatory, a slow peer delays the others. Without `mandatory`, the
// ROUTER drops the message (RFC 28).
//
// Executor: a handler runs in its associated executor, or in the executor of the sockets. A handler
// never runs inside async_run().
//
// Lifetime: both sockets must have the same executor, and must outlive each run. End a run with
// terminate() or by closing a socket before you destroy the sockets. Destroying the proxy ends its
// run with operation_aborted. The proxy does not use the sockets after that.
//
// Thread safety: distinct objects safe, one object not. Call all members in the executor of the
// sockets.
class proxy {
public:
  using executor_type = asio::any_io_executor;

  // If both arguments are the same socket, the proxy sends back each received message.
  template <class Frontend, class Backend>
  requires can_be_proxied<Frontend, Backend> proxy(Frontend& frontend, Backend& backend)
      : proxy{frontend.get_executor()} {
    if constexpr (message_source<Frontend> && message_sink<Backend>) {
      forward_to_backend(source_of(frontend), sink_of(backend));
    }
    if constexpr (message_source<Backend> && message_sink<Frontend>) {
      if (static_cast<const void*>(&frontend) != static_cast<const void*>(&backend)) {
        forward_to_frontend(source_of(backend), sink_of(frontend));
      }
    }
  }
  proxy(const proxy&) = delete;
  proxy& operator=(const proxy&) = delete;
  proxy(proxy&&) noexcept = default;
  proxy& operator=(proxy&&) noexcept;
  ~proxy();

  // Also sends a copy of each forwarded message to this socket. The proxy waits for the capture
  // socket if that does not drop messages, such as a PUSH without a peer. Must not be called during
  // a run.
  template <message_sink Capture>
  void capture_to(Capture& capture) {
    set_capture(sink_of(capture));
  }
  // During runs, executes the commands that this socket receives, and answers them: PAUSE, RESUME,
  // TERMINATE and STATISTICS (as in libzmq's zmq_proxy_steerable). A REP answers every message, because it
  // must. Must not be called during a run.
  template <message_source Control>
  void obey(Control& control) {
    if constexpr (message_sink<Control>) {
      set_control(source_of(control), sink_of(control), std::same_as<Control, rep_socket>);
    } else {
      set_control(source_of(control), nullptr, false);
    }
  }

  // Forwards messages until the run ends.
  //
  // Completes with: error_code. No error after terminate() or TERMINATE.
  // Errors:
  // - errc::socket_closed: one of the sockets was closed.
  // - asio::error::already_started: another run is active.
  // - operation_aborted: cancelled, or the proxy was destroyed.
  // Cancellation: terminal, partial, total. No message is lost at the end of a run. The next run
  // starts with messages that the proxy still holds.
  template <asio::completion_token_for<void(error_code)> Token = asio::deferred_t>
  [[nodiscard]] auto async_run(Token&& token = {}) {
    return asio::async_initiate<Token, void(error_code)>(
        [this](done_handler h) { start(std::move(h)); }, token);
  }

  // Pauses forwarding until resume(), also across runs. Messages wait at their senders meanwhile.
  void pause();
  void resume();
  // Ends the run. Does nothing without a run.
  void terminate();

  [[nodiscard]] executor_type get_executor() const;
  [[nodiscard]] const proxy_statistics& statistics() const noexcept;

private:
  class core;

  explicit proxy(asio::any_io_executor executor);
  void forward_to_backend(std::unique_ptr<any_source> from, std::unique_ptr<any_sink> to);
  void forward_to_frontend(std::unique_ptr<any_source> from, std::unique_ptr<any_sink> to);
  void set_capture(std::unique_ptr<any_sink> capture);
  void set_control(std::unique_ptr<any_source> commands, std::unique_ptr<any_sink> answers,
                   bool answers_all);
  void start(done_handler&& handler);

  std::shared_ptr<core> core_;
};

}  // namespace zmtp
