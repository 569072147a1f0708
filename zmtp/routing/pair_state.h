#pragma once
// PAIR (RFC 31): one peer, in both directions.

#include "zmtp/routing/socket_state.h"

#include <optional>

namespace zmtp {

// The first peer gets the slot: the first endpoint that the socket connects to, even without a
// connection, or the first accepted connection. While it has the slot, all other peers are
// rejected. The user receives all its messages before the first message of the next peer, even if
// the next peer is the same program after a reconnect.
class pair_state final : public socket_state {
public:
  static constexpr auto pattern = socket_type::pair;

  explicit pair_state(const socket_options& options) : socket_state{pattern, options} {
    receive_in_order();
  }

  pipe& open_pipe(bool durable) override;
  [[nodiscard]] verdict on_admission(std::optional<peer_id> id, const peer_info& info) override;
  void on_attached(pipe& p, peer_info info, std::uint32_t random) override;
  void close_pipe(pipe& p) override;

  // Never drops a message. Returns full if the peer's queue is full or there is no peer.
  [[nodiscard]] send_status send(message&& m, if_full then) override;
  using socket_state::send;
  [[nodiscard]] bool writable() const noexcept override;
  using socket_state::writable;

private:
  std::optional<peer_id> peer_;
};

}  // namespace zmtp
