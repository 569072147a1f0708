#pragma once
// REQ (RFC 28): one request, then its reply from the same peer.

#include "zmtp/routing/round_robin_state.h"

#include <cstdint>
#include <optional>

namespace zmtp {

// Strict by default. With socket_options::relaxed, a new request may follow an unanswered one,
// whose reply is then dropped. With socket_options::correlate, each request has a number before its
// delimiter. The reply must repeat the number, as REP and ROUTER peers do without configuration.
class req_state final : public round_robin_state {
public:
  static constexpr auto pattern = socket_type::req;

  explicit req_state(const socket_options& options) : round_robin_state{pattern, options} {
    read_before_writing();
  }

  // Returns out_of_turn while a reply is pending, unless relaxed. Drops and counts messages that
  // arrived before the request.
  [[nodiscard]] send_status send(message&& m, if_full then) override;
  using socket_state::send;
  // Returns only the reply to the request in flight, and drops and counts other messages. A reply
  // comes from the peer of the request. None of its bytes were read before the whole request was
  // written.
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
  unread early_ = unread::nothing;  // pipe::rest of that peer when the request was written
  std::uint32_t number_ = 0;
};

}  // namespace zmtp
