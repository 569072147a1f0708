#pragma once
// ROUTER (RFC 28): receives fairly from all peers and says from which, sends to the peer that is named.

#include "zmtp/routing/identity_table.h"
#include "zmtp/routing/socket_state.h"

#include <optional>
#include <string_view>
#include <utility>

namespace zmtp {

class router_state final : public socket_state {
public:
  explicit router_state(const socket_options& options) noexcept
      : socket_state{socket_type::router, options} {}

  [[nodiscard]] verdict on_admission(std::optional<peer_id> id, const peer_info& info) override;
  void on_attached(pipe& p, peer_info info, std::uint32_t random) override;
  void close_pipe(pipe& p) override;

  // The living peer with this routing id.
  [[nodiscard]] std::optional<peer_id> find_routing_id(std::string_view routing_id) const noexcept {
    return identities_.find(routing_id);
  }
  using socket_state::send;
  [[nodiscard]] send_status send(peer_id to, message&& m) override {
    return queue_for(to, std::move(m));
  }

private:
  void forget(pipe& p) override;

  identity_table identities_;
};

}  // namespace zmtp
