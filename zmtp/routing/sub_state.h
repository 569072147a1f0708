#pragma once
// SUB (RFC 29): receives from all publishers what it subscribed to.

#include "zmtp/routing/subscriber_state.h"
#include "zmtp/routing/subscription_index.h"

#include <string_view>

namespace zmtp {

// Filters itself, too: a publisher may send more than was asked for. Stops reading when full, never drops.
class sub_state final : public subscriber_state {
public:
  explicit sub_state(const socket_options& options) : subscriber_state{socket_type::sub, options} {}

  bool subscribe(std::string_view topic) override;
  bool unsubscribe(std::string_view topic) override;

  [[nodiscard]] bool receive(message& to) override;
  using socket_state::receive;

private:
  subscription_index wanted_;
};

}  // namespace zmtp
