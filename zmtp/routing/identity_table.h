#pragma once
// Maps routing ids to peers.

#include "zmtp/routing/peer_id.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace zmtp {

class identity_table {
public:
  [[nodiscard]] std::optional<peer_id> find(std::string_view routing_id) const noexcept {
    const auto at = peers_.find(routing_id);
    return at == peers_.end() ? std::nullopt : std::optional{at->second};
  }
  void insert(std::string_view routing_id, peer_id peer) {
    peers_.insert_or_assign(std::string{routing_id}, peer);
  }
  // Does nothing if the routing id belongs to another peer now.
  void erase(std::string_view routing_id, peer_id peer) noexcept {
    if (const auto at = peers_.find(routing_id); at != peers_.end() && at->second == peer) {
      peers_.erase(at);
    }
  }
  // Generates a routing id: a zero byte, with which no peer's own id may begin (RFC 37), and a
  // four-byte counter that starts at `random`.
  [[nodiscard]] std::string make_up(std::uint32_t random);

private:
  struct hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view id) const noexcept {
      return std::hash<std::string_view>{}(id);
    }
  };

  boost::unordered_flat_map<std::string, peer_id, hash, std::equal_to<>> peers_;
  std::optional<std::uint32_t> last_made_up_;
};

}  // namespace zmtp
