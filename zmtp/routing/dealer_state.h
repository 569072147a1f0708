#pragma once
// DEALER (RFC 28): sends each message to the next peer that has room, receives fairly from all.

#include "zmtp/routing/socket_state.h"

namespace zmtp {

class dealer_state final : public socket_state {
public:
  explicit dealer_state(const socket_options& options) noexcept
      : socket_state{socket_type::dealer, options} {}

  pipe& open_pipe(bool durable) override;
  void on_attached(pipe& p, peer_info info, std::uint32_t random) override;
  void on_written(pipe& p) override;
  void on_detached(pipe& p) override;
  void close_pipe(pipe& p) override;

  [[nodiscard]] bool writable() const noexcept { return !writable_.empty(); }
  // `m` is moved from only if queued. Never discards: full if no peer has room or there is none.
  [[nodiscard]] send_status send(message&& m);

private:
  void forget(pipe& p) override;

  slot_ring writable_;
};

}  // namespace zmtp
