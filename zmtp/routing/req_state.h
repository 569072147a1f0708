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

  explicit req_state(const socket_options& options) : round_robin_state{pattern, options} {
    read_before_writing();
  }

  // Out of turn if a reply is awaited (and not relaxed). Messages that came before are dropped and counted.
  [[nodiscard]] send_status send(message&& m, if_full then) override;
  using socket_state::send;
  // Only the reply to the request in flight; other messages are dropped and counted. A reply comes from
  // the peer that was asked, and none of its bytes was read before the whole request was written.
  [[nodiscard]] bool receive(message& to) override;
  void on_received(pipe& p) override;
  void on_detached(pipe& p) override;
  [[nodiscard]] bool writable() const noexcept override {
    return (!asked_ || options_.relaxed) && round_robin_state::writable();
  }
  [[nodiscard]] bool awaiting_reply() const noexcept { return asked_.has_value(); }

private:
  [[nodiscard]] bool is_reply(message& m) const;
  void drop_waiting();

  std::optional<peer_id> asked_;
  unread early_ = unread::nothing;  // pipe::rest of the asked peer, when the request was written
  std::uint32_t number_ = 0;
};

}  // namespace zmtp
