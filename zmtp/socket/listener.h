#pragma once
// Accepts connections at one endpoint.

#include "zmtp/endpoint.h"
#include "zmtp/socket/socket_core.h"
#include "zmtp/transport/tcp.h"

#include <memory>
#include <vector>

namespace zmtp {

class listener final : public std::enable_shared_from_this<listener> {
public:
  explicit listener(socket_core& core);

  // The core must outlive the listener or call close().
  [[nodiscard]] error_code open(const endpoint& at);
  void start();
  void close() noexcept;
  [[nodiscard]] const endpoint& bound() const noexcept { return bound_; }
  // Whether this is the endpoint as bound or as it was asked for.
  [[nodiscard]] bool is_at(const endpoint& at) const noexcept {
    return at == bound_ || at == asked_for_;
  }

private:
  void accept();
  void on_acceptable(error_code ec);
  void wait_for_descriptors();

  socket_core* core_;  // none once closed
  asio::ip::tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  endpoint asked_for_;
  endpoint bound_;
  std::size_t pending_ = 0;  // handshakes
  bool waiting_ = false;
};

}  // namespace zmtp
