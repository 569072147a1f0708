#pragma once
// SUB (RFC 29): receives messages that match its subscriptions from all publishers.

#include "zmtp/routing/subscriber_state.h"
#include "zmtp/routing/subscription_index.h"

#include <cstdint>
#include <string_view>

namespace zmtp {

// Also filters locally, because a publisher may send messages that do not match. Stops reading when
// its queue is full, and never drops a message for that.
class sub_state final : public subscriber_state {
public:
  static constexpr auto pattern = socket_type::sub;

  // `seed` makes the hash of topics unpredictable.
  explicit sub_state(const socket_options& options, std::uint64_t seed = 0)
      : subscriber_state{pattern, options, seed}, wanted_{seed} {}

  bool subscribe(std::string_view topic) override;
  bool unsubscribe(std::string_view topic) override;

  [[nodiscard]] bool receive(message& to) override;
  [[nodiscard]] bool receive(routed_message& to) override;

private:
  [[nodiscard]] bool wanted(const message& m) const override { return wanted_.matches(m.front()); }

  subscription_index wanted_;
};

}  // namespace zmtp
