#pragma once
// Subtrees of the map, and the counters by which a client of a subtree detects missing updates.
// Pure.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace chp {

// Returns whether the text is a subtree specification of 12/CHP: empty for the whole map, or /…/. A
// server serves any other prefix of keys too (protocols C1-14).
[[nodiscard]] constexpr bool is_subtree(std::string_view text) noexcept {
  return text.empty() ||
         (text.front() == '/' && text.back() == '/' && text.find("//") == text.npos);
}

// Visits the subtrees that contain a key, the largest first: for /a/b/c these are /, /a/ and /a/b/.
// Keys that do not begin with a slash are in none.
template <class Visit>
void for_each_directory(std::string_view key, Visit&& visit) {
  if (!key.starts_with('/')) {
    return;
  }
  for (std::size_t at = 0; at != key.npos; at = key.find('/', at + 1)) {
    visit(key.substr(0, at + 1));
  }
}

// The position of an update in its epoch within a subtree. A client of that subtree cannot detect a
// gap in the sequences, but detects it in these counts (reliability.md 3.2, G3). They are sent as
// the property d=/:12,/a/:3 before those of the KVSET. Special bytes of a name and '%' are escaped,
// such as %2C.
struct directory_count {
  std::string_view directory;
  std::uint64_t count;
};
// Appends the property, unless `counts` is empty.
void append_directory_counts(std::string& to, std::span<const directory_count> counts);
// Returns the count of this subtree from the properties of a KVPUB or KTHXBAI, if they have it.
[[nodiscard]] std::optional<std::uint64_t> find_directory_count(
    std::string_view properties, std::string_view directory) noexcept;

}  // namespace chp
