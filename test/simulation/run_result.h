#pragma once
// The result of one run of a simulation from a seed.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp::simulation {

template <class Violation>
struct finding {
  Violation what;
  std::string text;
};

struct run_summary {
  std::string description;
  std::uint64_t trace_hash = 0;
  std::uint64_t events = 0;
  std::chrono::nanoseconds virtual_time{};
  // Numbers by name: the same names in each run of a simulation.
  std::vector<std::pair<std::string_view, std::size_t>> figures;
};

template <class Violation>
struct run_result : run_summary {
  std::vector<finding<Violation>> findings;

  [[nodiscard]] bool shows(Violation what) const {
    return std::any_of(findings.begin(), findings.end(),
                       [&](const auto& f) { return f.what == what; });
  }
  // … of this name; there must be one.
  [[nodiscard]] std::size_t figure(std::string_view name) const {
    return std::find_if(figures.begin(), figures.end(),
                        [&](const auto& f) { return f.first == name; })
        ->second;
  }
};

}  // namespace zmtp::simulation
