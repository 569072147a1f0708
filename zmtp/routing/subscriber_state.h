#pragma once
// What SUB and XSUB share (RFC 29): what we subscribed to, and who is to be told of it.

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

// Counts subscriptions to the same topic; what goes to publishers is the first and the last of them,
// which both a publisher that keeps a set and one that counts understand (protocols C2-1).
class subscriber_state : public socket_state {
public:
  // True if it is the first to this topic, and publishers are told.
  virtual bool subscribe(std::string_view topic);
  // True if it was the last.
  virtual bool unsubscribe(std::string_view topic);
  // In the order in which they were subscribed to.
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
    std::uint64_t number;  // of all wishes, in their order
  };

  boost::unordered_flat_map<std::string, wish, hash, std::equal_to<>> wishes_;
  std::uint64_t last_number_ = 0;
};

}  // namespace zmtp
