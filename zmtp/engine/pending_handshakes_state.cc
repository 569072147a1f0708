#include "zmtp/engine/pending_handshakes_state.h"

#include <algorithm>

namespace zmtp {

namespace {

bool is_loopback(const address_shares::host& of) noexcept {
  constexpr address_shares::host ipv6{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  constexpr std::array<std::uint8_t, 13> ipv4{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127};
  return of == ipv6 || std::equal(ipv4.begin(), ipv4.end(), of.begin());
}

}  // namespace

bool address_shares::enter(const std::optional<host>& from, std::size_t places) {
  if (!from || is_loopback(*from)) {
    return true;
  }
  const auto share = std::max<std::size_t>(places / 4, 1);
  const auto known = taken_.find(*from);
  if (known == taken_.end()) {
    taken_.emplace(*from, 1);
    return true;
  }
  if (known->second >= share) {
    return false;
  }
  ++known->second;
  return true;
}

void address_shares::leave(const std::optional<host>& from) noexcept {
  if (!from) {
    return;
  }
  if (const auto known = taken_.find(*from); known != taken_.end() && --known->second == 0) {
    taken_.erase(known);
  }
}

}  // namespace zmtp
