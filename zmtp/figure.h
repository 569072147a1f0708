#pragma once
// The figures of a component: one description of each, from which every output is made. Words.
// Pure.

#include "zmtp/duration_histogram.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace zmtp {

// The description of a figure. Its texts are literals.
struct figure {
  enum class kind : std::uint8_t {
    counter,    // a number that never decreases while the process runs
    gauge,      // a number
    flag,       // true or false
    word,       // the name of a state
    histogram,  // durations
  };
  enum class unit : std::uint8_t { none, bytes, seconds };

  std::string_view key;  // lower case with underscores
  kind is;
  std::string_view help;  // a noun phrase without a full stop
  unit in = unit::none;
};

// The content of a histogram of any bounds.
struct durations {
  std::span<const std::chrono::microseconds> bounds;
  std::vector<std::uint64_t> counts;  // one for each bucket; the last bucket has no bound
  std::chrono::nanoseconds sum;
};

template <const auto& Bounds>
[[nodiscard]] std::shared_ptr<const durations> durations_of(
    const basic_duration_histogram<Bounds>& of) {
  return std::make_shared<const durations>(
      durations{Bounds, {of.counts().begin(), of.counts().end()}, of.sum()});
}

using figure_value =
    std::variant<std::uint64_t, bool, std::string_view, std::shared_ptr<const durations>>;

// The description of a figure of a status, and how to get it. A table of them describes a status.
template <class Status>
struct figure_of {
  figure what;
  figure_value (*value)(const Status& s);
};

template <class T, std::size_t... Sizes>
[[nodiscard]] constexpr auto joined(const std::array<T, Sizes>&... parts) {
  return std::apply([](const auto&... all) { return std::array{all...}; },
                    std::tuple_cat(parts...));
}

struct figure_sample {
  const figure* what;
  figure_value value;
};

// The figures of one thing. All records of a group have the same figures in the same order.
struct figure_record {
  std::string_view group;                                        // a literal, as "broker"
  std::vector<std::pair<std::string_view, std::string>> labels;  // the names are literals
  std::vector<figure_sample> samples;
};

// Appends `key=value`, with a space before it unless the line is empty.
void append_to_line(std::string& line, std::string_view key, const figure_value& value);

// Returns the figures as a line of text, `key=value` each, for logs and messages. Histograms do not
// fit into a line and are left out.
template <class Status>
[[nodiscard]] std::string line_of(std::span<const figure_of<Status>> table, const Status& s) {
  std::string line;
  for (const auto& each : table) {
    if (each.what.is != figure::kind::histogram) {
      append_to_line(line, each.what.key, each.value(s));
    }
  }
  return line;
}

template <class Status>
[[nodiscard]] std::vector<figure_sample> samples_of(std::span<const figure_of<Status>> table,
                                                    const Status& s) {
  std::vector<figure_sample> samples;
  samples.reserve(table.size());
  for (const auto& each : table) {
    samples.push_back({&each.what, each.value(s)});
  }
  return samples;
}

}  // namespace zmtp
