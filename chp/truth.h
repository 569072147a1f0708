#pragma once
// The servers that had an update when it was committed. Plain data.

#include <cstdint>
#include <optional>
#include <string_view>

namespace chp {

enum class truth : std::uint8_t {
  unknown,       // the server is not Zinc's, or the update is not committed
  one_server,    // one server, in memory
  one_disk,      // the disk of one server
  both_servers,  // both servers of a pair; perhaps not on the disks of both
  both_disks,    // the disks of both
};

[[nodiscard]] constexpr bool is_on_both(truth of) noexcept { return of >= truth::both_servers; }

// Convert to and from the name of the enumerator.
[[nodiscard]] std::string_view to_string(truth of) noexcept;
[[nodiscard]] std::optional<truth> parse_truth(std::string_view name) noexcept;

}  // namespace chp
