#pragma once
// Subtrees of the map, and the counters that show whoever follows one that nothing is missing. Pure.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace chp {

// What 12/CHP calls a subtree specification: empty for the whole map, or /…/. A server serves others too,
// as what keys begin with (protocols C1-14).
[[nodiscard]] constexpr bool is_subtree(std::string_view text) noexcept {
  return text.empty() ||
         (text.front() == '/' && text.back() == '/' && text.find("//") == text.npos);
}

// Visits the subtrees that a key is in, the largest first: of /a/b/c these are / and /a/ and /a/b/. Keys
// that do not begin with a slash are in none.
template <class Visit>
void for_each_directory(std::string_view key, Visit&& visit) {
  if (!key.starts_with('/')) {
    return;
  }
  for (std::size_t at = 0; at != key.npos; at = key.find('/', at + 1)) {
    visit(key.substr(0, at + 1));
  }
}

// The how manieth update of its epoch an update is in each subtree that it is in. A client of that
// subtree, who cannot see the gap in sequences, sees it in these (reliability.md 3.2, G3). They go as the
// property d=/:12,/a/:3 behind those of the KVSET; octets of a name that mean something there, and '%',
// as %2C.
struct directory_count {
  std::string_view directory;
  std::uint64_t count;
};
// Appends the property; nothing if there are none.
void append_directory_counts(std::string& to, std::span<const directory_count> counts);
// What the properties of a KVPUB or KTHXBAI say of this subtree; nothing if they do not.
[[nodiscard]] std::optional<std::uint64_t> find_directory_count(
    std::string_view properties, std::string_view directory) noexcept;

}  // namespace chp
