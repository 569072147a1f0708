#pragma once
// REP (RFC 28): one request, then its reply to the same peer.

#include "zmtp/routing/socket_state.h"

#include <optional>

namespace zmtp {

// Stores the envelope of a request, including its empty delimiter, and puts it in front of the
// reply. Drops and counts a message without a delimiter, or without a part after it. A reply goes
// only to the peer that sent the request. A peer that reconnects without the same routing id is a
// different peer.
class rep_state final : public socket_state {
public:
  static constexpr auto pattern = socket_type::rep;

  explicit rep_state(const socket_options& options) : socket_state{pattern, options} {}

  // Returns false while a request waits for its reply.
  [[nodiscard]] bool receive(message& to) override;
  [[nodiscard]] bool readable() const noexcept override {
    return !asked_by_ && socket_state::readable();
  }
  // Never waits. Drops and counts a reply if its peer has disconnected or its queue is full.
  // Returns out_of_turn if there is no request.
  [[nodiscard]] send_status send(message&& m, if_full then) override;
  using socket_state::send;
  [[nodiscard]] bool writable() const noexcept override { return asked_by_.has_value(); }

private:
  [[nodiscard]] bool succeeds(const peer_info& last, const peer_info& who) const override {
    return !who.routing_id.empty() && who.routing_id == last.routing_id;
  }
  [[nodiscard]] bool take_envelope(message& m);

  std::optional<peer_id> asked_by_;
  message envelope_;
};

}  // namespace zmtp
