#pragma once
// XSUB (RFC 29): SUB whose subscriptions are messages, so that a proxy can pass them on.

#include "zmtp/routing/subscriber_state.h"

#include <cstdint>

namespace zmtp {

// Receives all that publishers send, without a filter of its own: what it asked for, others behind it
// did. Stops reading when full, never drops.
class xsub_state final : public subscriber_state {
public:
  static constexpr auto pattern = socket_type::xsub;

  // `seed` makes the hash of topics unpredictable: behind a proxy, peers choose them.
  explicit xsub_state(const socket_options& options, std::uint64_t seed = 0)
      : subscriber_state{pattern, options, seed} {}

  // One part that begins with the octet 1 or 0 subscribes to, or unsubscribes from, the topic behind it;
  // too_long above limits::topic_size. All else goes to every publisher: `full` if one has no room, and
  // nobody was sent it then; with if_full::drop who has no room misses it, which is counted.
  [[nodiscard]] send_status send(message&& m, if_full then) override;
  using socket_state::send;
  [[nodiscard]] bool writable() const noexcept override { return true; }
  using socket_state::writable;

private:
  [[nodiscard]] send_status send_to_all(message&& m, if_full then);
};

}  // namespace zmtp
