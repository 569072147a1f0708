#pragma once
// PAIR (RFC 31): one peer, in both directions.

#include "zmtp/routing/socket_state.h"

#include <optional>

namespace zmtp {

// The peer is whoever comes first: the first endpoint that is connected to, whether its connection stands
// or not, or the first connection that is accepted. As long as it is there, all others are refused. What
// it has sent is received before anything from the next, which may be the same that has come back.
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

  // Never discards: full if the peer has no room or there is none.
  [[nodiscard]] send_status send(message&& m, if_full then) override;
  using socket_state::send;
  [[nodiscard]] bool writable() const noexcept override;
  using socket_state::writable;

private:
  std::optional<peer_id> peer_;
};

}  // namespace zmtp
