#include "tools/zinc/suggestion.h"

#include <algorithm>
#include <vector>

namespace zinc {

std::size_t typing_distance(std::string_view a, std::string_view b) {
  // Rows of the table of distances between the beginnings of both: before the last, the last, and this one.
  std::vector<std::size_t> earlier(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    row[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(earlier, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], earlier[j - 2] + 1);
      }
    }
  }
  return row.back();
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> known) {
  std::optional<std::string> best;
  std::size_t least = 0;
  for (const auto& one : known) {
    const auto distance = typing_distance(word, one);
    if (distance * 3 <= std::max(word.size(), one.size()) && (!best || distance < least)) {
      best = one;
      least = distance;
    }
  }
  return best;
}

}  // namespace zinc
