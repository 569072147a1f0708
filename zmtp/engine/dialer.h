#pragma once
// Keeps one endpoint connected: connects and reconnects.

#include "zmtp/conversation/reconnect_backoff.h"
#include "zmtp/endpoint.h"
#include "zmtp/engine/link.h"
#include "zmtp/engine/socket_core.h"
#include "zmtp/runtime/executor.h"
#include "zmtp/runtime/reserved_memory.h"
#include "zmtp/transport/network.h"
#include "zmtp/transport/tls_context.h"

#include <memory>
#include <optional>
#include <string>

namespace zmtp {

class inproc_names;

class dialer final : public link_owner, public std::enable_shared_from_this<dialer> {
public:
  // `tls` is null for an endpoint without TLS.
  dialer(socket_core& core, const endpoint& to, peer_id pipe,
         std::unique_ptr<transport::tls_context> tls);

  void start();
  // Stops all attempts. The caller must end the link, if there is one.
  void close() noexcept;
  // Call when the socket is closed. Continues only while messages are left to write.
  void finish();

  // Returns whether the endpoint is connecting, connected, or waiting to reconnect.
  [[nodiscard]] bool active() const noexcept;
  [[nodiscard]] const endpoint& to() const noexcept { return *at_; }
  [[nodiscard]] peer_id pipe() const noexcept { return pipe_; }
  // The connection, if there is one, during or after its handshake.
  [[nodiscard]] std::shared_ptr<peer_link> link() const noexcept { return link_.lock(); }

private:
  void attempt();
  void try_to_connect();
  void connect();
  void on_connected(error_code ec, std::unique_ptr<transport::stream> stream);
  void call(const std::string& name);
  void stop_waiting_for_name() noexcept;
  void adopt(const std::shared_ptr<peer_link>& link);
  void on_moved(peer_id to) override { pipe_ = to; }
  void on_end(error_code reason, std::optional<std::chrono::milliseconds> lasted) override {
    linked_ = false;
    wait(reason, lasted);
  }
  // Waits until the next attempt, after an attempt or a connection has ended.
  void wait(error_code reason, std::optional<std::chrono::milliseconds> lasted);
  void report(monitor_event::kind what, error_code reason = {},
              std::chrono::milliseconds retry_in = {});
  [[nodiscard]] bool wanted() const noexcept;

  socket_core* core_;  // null after close()
  std::shared_ptr<const endpoint> at_;
  std::unique_ptr<transport::tls_context> tls_;  // null without TLS
  peer_id pipe_;
  reconnect_backoff backoff_;
  reserved_memory for_wait_;
  timer timer_;
  std::shared_ptr<transport::connector> connect_;
  std::shared_ptr<remote_executor> waiting_for_name_;  // null while not waiting for a name
  std::shared_ptr<inproc_names> names_;                // where it waits
  asio::any_io_executor work_;  // outstanding work, so that the context keeps running
  std::weak_ptr<peer_link> link_;
  bool linked_ = false;
};

}  // namespace zmtp
