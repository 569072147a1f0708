#pragma once
// SUB (RFC 29): receives from all publishers what it subscribed to.

#include "zmtp/routing/socket_state.h"
#include "zmtp/routing/subscription_index.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <string>
#include <string_view>

namespace zmtp {

// Counts subscriptions to the same topic; what goes to publishers is the first and the last of them,
// which both a publisher that keeps a set and one that counts understand (protocols C2-1). Filters
// itself, too: a publisher may send more than was asked for. Stops reading when full, never drops.
class sub_state final : public socket_state {
public:
  explicit sub_state(const socket_options& options) : socket_state{socket_type::sub, options} {}

  // True if publishers are to be told.
  [[nodiscard]] bool subscribe(std::string_view topic);
  [[nodiscard]] bool unsubscribe(std::string_view topic);
  [[nodiscard]] std::vector<std::string_view> topics() const override;

  [[nodiscard]] bool receive(message& to) override;
  using socket_state::receive;

private:
  struct hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view topic) const noexcept {
      return std::hash<std::string_view>{}(topic);
    }
  };

  boost::unordered_flat_map<std::string, std::size_t, hash, std::equal_to<>> counts_;
  subscription_index wanted_;
};

}  // namespace zmtp
