#pragma once
// zmtp/socket/dialer in virtual time: keeps one name connected.

#include "zmtp/conversation/reconnect_backoff.h"
#include "zmtp/error.h"
#include "zmtp/peer.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace zmtp::simulation {

class sim_link;
class sim_socket;

class sim_dialer final : public std::enable_shared_from_this<sim_dialer> {
public:
  sim_dialer(sim_socket& owner, std::string_view to, peer_id pipe);

  void start() { attempt(); }
  // No more attempts; the link, if there is one, is the caller's to end.
  void close() noexcept { socket_ = nullptr; }
  [[nodiscard]] const std::string& to() const noexcept { return to_; }
  [[nodiscard]] peer_id pipe() const noexcept { return pipe_; }
  [[nodiscard]] std::shared_ptr<sim_link> link() const noexcept { return link_.lock(); }

private:
  void attempt();
  void wait(error_code reason, std::optional<std::chrono::milliseconds> lasted);

  sim_socket* socket_;  // none once closed
  std::string to_;
  peer_id pipe_;
  reconnect_backoff backoff_;
  std::weak_ptr<sim_link> link_;
};

}  // namespace zmtp::simulation
