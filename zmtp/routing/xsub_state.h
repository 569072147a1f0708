#pragma once
// XSUB (RFC 29): like SUB, but the user sends subscriptions as messages, so that a proxy can
// forward them.

#include "zmtp/routing/subscriber_state.h"

#include <cstdint>

namespace zmtp {

// Receives all messages of publishers, without a filter, because the subscribers behind a proxy
// filter. Stops reading when its queue is full, and never drops a message for that.
class xsub_state final : public subscriber_state {
public:
  static constexpr auto pattern = socket_type::xsub;

  // `seed` makes the hash of topics unpredictable. Behind a proxy, peers choose the topics.
  explicit xsub_state(const socket_options& options, std::uint64_t seed = 0)
      : subscriber_state{pattern, options, seed} {}

  // A message of one part that begins with byte 1 or 0 subscribes to the topic after that byte, or
  // unsubscribes. Returns too_long above limits::topic_size. Any other message goes to every
  // publisher. Returns full if the queue of one is full. Then no publisher gets the message. With
  // if_full::drop, a publisher with a full queue misses it, and the drop is counted.
  [[nodiscard]] send_status send(message&& m, if_full then) override;
  using socket_state::send;
  [[nodiscard]] bool writable() const noexcept override { return true; }
  using socket_state::writable;

private:
  [[nodiscard]] send_status send_to_all(message&& m, if_full then);
};

}  // namespace zmtp
