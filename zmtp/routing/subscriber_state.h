#pragma once
// The subscriptions of SUB and XSUB (RFC 29), and the changes to send to publishers.

#include "zmtp/routing/keyed_hash.h"
#include "zmtp/routing/socket_state.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp {

// Counts subscriptions per topic. Sends only the first and the last of each topic, which publishers
// with a set and publishers with counters both understand.
class subscriber_state : public socket_state {
public:
  // Returns true if this is the first subscription to the topic. Publishers then receive it.
  virtual bool subscribe(std::string_view topic);
  // Returns true if this was the last subscription to the topic.
  virtual bool unsubscribe(std::string_view topic);
  // Returns the topics in the order of subscription.
  [[nodiscard]] std::vector<std::string_view> topics() const override;

protected:
  subscriber_state(socket_type type, const socket_options& options, std::uint64_t seed)
      : socket_state{type, options}, wishes_{0, hash{keyed_hash{seed}}} {}

private:
  void tell(bool subscribe, std::string_view topic);

  struct hash {
    using is_transparent = void;
    keyed_hash key;
    std::size_t operator()(std::string_view topic) const noexcept { return key(topic); }
  };

  struct wish {
    std::size_t count;
    std::uint64_t number;  // position in the order of subscription
  };

  boost::unordered_flat_map<std::string, wish, hash, std::equal_to<>> wishes_;
  std::uint64_t last_number_ = 0;
};

}  // namespace zmtp
