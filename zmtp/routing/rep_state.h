#pragma once
// REP (RFC 28): one request, then its reply, to the peer that asked.

#include "zmtp/routing/socket_state.h"

#include <optional>

namespace zmtp {

// A request's envelope, up to and with its empty delimiter, is kept and goes back in front of the
// reply. A message without a delimiter, or with nothing behind it, is dropped and counted. A reply is for
// who asked: whoever comes to its endpoint without the routing id that it had is somebody else.
class rep_state final : public socket_state {
public:
  static constexpr auto pattern = socket_type::rep;

  explicit rep_state(const socket_options& options) : socket_state{pattern, options} {}

  // Nothing while a request waits for its reply.
  [[nodiscard]] bool receive(message& to) override;
  [[nodiscard]] bool readable() const noexcept override {
    return !asked_by_ && socket_state::readable();
  }
  // Never waits: a reply whose peer is gone, or has no room even now, is dropped and counted. Out of
  // turn if there is no request.
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
