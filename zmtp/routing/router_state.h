#pragma once
// ROUTER (RFC 28): receives fairly from all peers with the sender of each message, and sends to a
// named peer. A peer that reconnects without the same routing id is a different peer.

#include "zmtp/routing/identity_table.h"
#include "zmtp/routing/socket_state.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace zmtp {

class router_state final : public socket_state {
public:
  static constexpr auto pattern = socket_type::router;

  explicit router_state(const socket_options& options) : socket_state{pattern, options} {}

  [[nodiscard]] verdict on_admission(std::optional<peer_id> id, const peer_info& info) override;
  void on_attached(pipe& p, peer_info info, std::uint32_t random) override;
  void close_pipe(pipe& p) override;

  // Receives with an envelope: the first part is the routing id of the sender, as in libzmq's
  // ROUTER.
  using socket_state::receive;
  [[nodiscard]] bool receive(message& to) override;
  // Sends to the peer that the first part names, without that part. Unless
  // socket_options::mandatory is set, drops and counts a message for an unknown peer. With
  // if_full::drop, also drops and counts a message for a full queue. With
  // socket_options::immediate, a routing id names only a connected peer.
  [[nodiscard]] send_status send(message&& m, if_full then) override;

  // The live peer with this routing id.
  [[nodiscard]] std::optional<peer_id> find_routing_id(std::string_view routing_id) const noexcept {
    return identities_.find(routing_id);
  }
  using socket_state::send;
  [[nodiscard]] send_status send(peer_id to, message&& m) override {
    return queue_for(to, std::move(m));
  }

private:
  [[nodiscard]] bool succeeds(const peer_info& last, const peer_info& who) const override;
  void forget(pipe& p) override;

  identity_table identities_;
  std::string sender_;  // sender of the current message; a member to reuse its memory
};

}  // namespace zmtp
