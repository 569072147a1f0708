#pragma once
// SUB (RFC 29): receives from all publishers what it subscribed to.

#include "zmtp/routing/subscriber_state.h"
#include "zmtp/routing/subscription_index.h"

#include <cstdint>
#include <string_view>

namespace zmtp {

// Filters itself, too: a publisher may send more than was asked for. Stops reading when full, never drops.
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
