#pragma once
// The number of pending handshakes per address, so that one address cannot use all slots of a
// listener.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace zmtp {

// Counts the handshakes of each address. Loopback addresses and connections without an address
// (ipc) are not limited, because all local programs share them.
class address_shares {
public:
  // An IPv6 address, or an IPv4 address mapped into IPv6 (::ffff:192.0.2.1).
  using host = std::array<std::uint8_t, 16>;

  // Counts a new handshake. Returns false, without counting it, if its address already has a
  // quarter of `places`, or one if a quarter is less than one.
  [[nodiscard]] bool enter(const std::optional<host>& from, std::size_t places);
  // Call when a counted handshake has ended.
  void leave(const std::optional<host>& from) noexcept;

private:
  // only addresses with handshakes; ordered, so that peers cannot force hash collisions
  std::map<host, std::size_t> taken_;
};

}  // namespace zmtp
