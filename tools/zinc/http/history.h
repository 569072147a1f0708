#pragma once
// The figures of the last ten minutes, for a page that is opened. Pure.

#include "tools/zinc/http/report.h"
#include "zmtp/figure.h"

#include <boost/json/value.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zinc::http {

// One sample a second of the numbers and histograms of a report. The records of a group are added
// up. The memory is bounded by the number of figures, 8 bytes for each number and bucket of a
// sample.
class history {
public:
  using time_point = std::chrono::steady_clock::time_point;

  static constexpr std::chrono::seconds length{600};
  static constexpr std::size_t most_samples = 601;

  // Forgets samples that are older than `length`, and all if the groups or figures have changed.
  void add(time_point at, const report& of);

  // Returns an object with the member `history`. It has the ages of the samples in seconds, the
  // oldest first, and the values of each figure in the same order. A number that all samples share
  // stands alone, instead of a list. The member `operator` shows whether the server has operations.
  [[nodiscard]] std::string as_json(time_point now, bool has_operator = false) const;

  [[nodiscard]] std::size_t size() const noexcept { return samples_.size(); }

private:
  // A figure, whose values follow those of the column before it.
  struct column {
    std::string_view group;  // literals
    std::string_view key;
    std::size_t width;  // values; buckets of a histogram
    std::optional<std::span<const std::chrono::microseconds>> bounds;  // absent: a number
  };
  struct sample {
    time_point at;
    std::vector<std::uint64_t> values;
  };

  [[nodiscard]] static bool same(const column& a, const column& b) noexcept {
    return a.group == b.group && a.key == b.key && a.width == b.width;
  }
  [[nodiscard]] boost::json::value values_of(std::size_t at) const;

  std::vector<column> columns_;
  std::deque<sample> samples_;
};

}  // namespace zinc::http
