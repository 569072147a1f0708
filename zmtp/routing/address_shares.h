#pragma once
// How many of a listener's handshakes one address may have under way, so that one alone keeps nobody out.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace zmtp {

// Counts those of each address. Those of loopback, which a whole machine has in common, and those without
// an address (ipc) have no share: it is for strangers.
class address_shares {
public:
  // Of IPv6, or of IPv4 as IPv6 writes it (::ffff:192.0.2.1).
  using host = std::array<std::uint8_t, 16>;

  // One begins. False, and it is not counted, if its address has a quarter of `places` already, or one
  // where that would be none.
  [[nodiscard]] bool enter(const std::optional<host>& from, std::size_t places);
  // One that had entered is over.
  void leave(const std::optional<host>& from) noexcept;

private:
  std::map<host, std::size_t> taken_;  // of who has some; a peer cannot slow it down by its choice
};

}  // namespace zmtp
