#pragma once
// REQ (RFC 28): one request, then its reply, from the peer that was asked.

#include "zmtp/routing/round_robin_state.h"

#include <cstdint>
#include <optional>

namespace zmtp {

// Strict by default. With socket_options::relaxed a request may follow an unanswered one, whose reply is
// then not wanted any more; with ::correlate each request carries a number in front of its delimiter
// that the reply must bring back, which REP and ROUTER peers do unasked.
class req_state final : public round_robin_state {
public:
  static constexpr auto pattern = socket_type::req;

  explicit req_state(const socket_options& options) : round_robin_state{pattern, options} {}

  // Out of turn if a reply is awaited (and not relaxed).
  [[nodiscard]] send_status send(message&& m, if_full then) override;
  using socket_state::send;
  // Only the reply to the request in flight; what else comes is dropped and counted.
  [[nodiscard]] bool receive(message& to) override;
  [[nodiscard]] bool writable() const noexcept override {
    return (!asked_ || options_.relaxed) && round_robin_state::writable();
  }
  [[nodiscard]] bool awaiting_reply() const noexcept { return asked_.has_value(); }

private:
  [[nodiscard]] bool is_reply(message& m) const;

  std::optional<peer_id> asked_;
  std::uint32_t number_ = 0;
};

}  // namespace zmtp
