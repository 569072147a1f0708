#pragma once
// Accepts connections at one endpoint.

#include "zmtp/endpoint.h"
#include "zmtp/engine/endpoints.h"
#include "zmtp/engine/link.h"
#include "zmtp/engine/pending_handshakes_state.h"
#include "zmtp/engine/socket_core.h"
#include "zmtp/runtime/reserved_memory.h"
#include "zmtp/transport/network.h"
#include "zmtp/transport/tls_context.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace zmtp {

class stream_link;

class listener final : public binding,
                       public transport::acceptor_user,
                       public link_owner,
                       public std::enable_shared_from_this<listener> {
public:
  explicit listener(socket_core& core);

  // The core must outlive the listener or call close().
  [[nodiscard]] error_code open(const endpoint& at);
  void close() noexcept override;

private:
  struct handshake {
    stream_link* link;
    std::optional<address_shares::host> from;
  };

  void accept();
  void on_acceptable(error_code ec) override;
  [[nodiscard]] error_code take_one();
  void take(std::unique_ptr<transport::stream> accepted);
  void on_handshake_over(const peer_link& of) override;
  void turn_away(const std::string& address);
  [[nodiscard]] bool full() const noexcept;
  [[nodiscard]] bool make_room();
  void wait_for_descriptors(error_code shortage);
  void report(monitor_event::kind what, error_code reason);
  void accept_after(socket_core::clock::duration pause);

  socket_core* core_;  // null after close()
  reserved_memory for_pause_;
  std::unique_ptr<transport::acceptor> acceptor_;
  timer timer_;
  std::chrono::milliseconds pause_;              // the next pause
  std::unique_ptr<transport::tls_context> tls_;  // null without TLS
  std::shared_ptr<const endpoint> at_;           // the bound endpoint, for the links
  std::vector<handshake> pending_;
  address_shares shares_;  // the addresses of the pending handshakes
  bool waiting_ = false;
};

}  // namespace zmtp
