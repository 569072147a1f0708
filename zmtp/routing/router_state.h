#pragma once
// The decisions of ROUTER (RFC 28), and its table of routing ids.

#include "zmtp/peer.h"
#include "zmtp/routing/socket_state.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace zmtp {

// Maps routing ids to peers.
class identity_table {
public:
  [[nodiscard]] std::optional<peer_id> find(std::string_view routing_id) const noexcept {
    const auto at = peers_.find(routing_id);
    return at == peers_.end() ? std::nullopt : std::optional{at->second};
  }
  void insert(std::string_view routing_id, peer_id peer) {
    peers_.insert_or_assign(std::string{routing_id}, peer);
  }
  // Does nothing if the routing id belongs to another peer now.
  void erase(std::string_view routing_id, peer_id peer) noexcept {
    if (const auto at = peers_.find(routing_id); at != peers_.end() && at->second == peer) {
      peers_.erase(at);
    }
  }
  // Generates a routing id: a zero byte, with which no peer's own id may begin (RFC 37), and a
  // four-byte counter that starts at `random`.
  [[nodiscard]] std::string make_up(std::uint32_t random);

private:
  struct hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view id) const noexcept {
      return std::hash<std::string_view>{}(id);
    }
  };

  boost::unordered_flat_map<std::string, peer_id, hash, std::equal_to<>> peers_;
  std::optional<std::uint32_t> last_made_up_;
};

// ROUTER: receives fairly from all peers with the sender of each message, and sends to a named
// peer. A peer that reconnects without the same routing id is a different peer.
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
  [[nodiscard]] bool receive_enveloped(message_batch& to) override;
  // Sends to the peer that the first part names, without that part. Unless
  // socket_options::mandatory is set, drops and counts a message for an unknown peer. With
  // if_full::drop, also drops and counts a message for a full queue. With
  // socket_options::immediate, a routing id names only a connected peer.
  [[nodiscard]] send_status send(message&& m, if_full then) override;
  // Like the above for messages at the front of the batch, without an object for each.
  [[nodiscard]] send_status send(message_batch& from, if_full then) override;

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
  [[nodiscard]] frame::cut send_some(const message_run& run);

  identity_table identities_;
  std::string sender_;  // sender of the current message; a member to reuse its memory
};

}  // namespace zmtp
