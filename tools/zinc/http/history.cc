#include "tools/zinc/http/history.h"

#include "tools/zinc/http/values.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>

namespace zinc::http {

namespace {

namespace json = boost::json;

struct append_values {
  std::vector<std::uint64_t>& to;

  void operator()(std::uint64_t number) const { to.push_back(number); }
  void operator()(bool flag) const { to.push_back(flag ? 1 : 0); }
  void operator()(std::string_view /*word*/) const {}  // has no plot
  void operator()(const std::shared_ptr<const zmtp::durations>& of) const {
    to.insert(to.end(), of->counts.begin(), of->counts.end());
  }
};

std::optional<std::span<const std::chrono::microseconds>> bounds_of(const zmtp::figure_value& of) {
  const auto* const all = std::get_if<std::shared_ptr<const zmtp::durations>>(&of);
  return all != nullptr ? std::optional{(*all)->bounds} : std::nullopt;
}

}  // namespace

void history::add(time_point at, const report& of) {
  std::vector<column> columns;
  sample added{.at = at, .values = {}};
  std::string_view group;
  std::size_t start = 0;  // first value of the group
  for (const auto& record : of.records) {
    const bool first = record.group != group;
    if (first) {
      group = record.group;
      start = added.values.size();
    }
    std::vector<std::uint64_t> values;
    for (const auto& each : record.samples) {
      const auto before = values.size();
      std::visit(append_values{values}, each.value);
      if (first && values.size() != before) {
        columns.push_back({group, each.what->key, values.size() - before, bounds_of(each.value)});
      }
    }
    if (first) {
      added.values.insert(added.values.end(), values.begin(), values.end());
    } else {
      const auto offset = static_cast<std::ptrdiff_t>(start);
      std::transform(values.begin(), values.end(), added.values.begin() + offset,
                     added.values.begin() + offset, std::plus{});
    }
  }
  if (!std::equal(columns.begin(), columns.end(), columns_.begin(), columns_.end(), same)) {
    columns_ = std::move(columns);
    samples_.clear();
  }
  while (!samples_.empty() &&
         (samples_.size() >= most_samples || at - samples_.front().at > length)) {
    samples_.pop_front();
  }
  samples_.push_back(std::move(added));
}

json::value history::values_of(std::size_t at) const {
  const auto first = samples_.front().values[at];
  if (std::all_of(samples_.begin(), samples_.end(),
                  [&](const sample& each) { return each.values[at] == first; })) {
    return first;
  }
  json::array all;
  all.reserve(samples_.size());
  for (const auto& each : samples_) {
    all.push_back(each.values[at]);
  }
  return all;
}

std::string history::as_json(time_point now, bool has_operator) const {
  json::array ages;
  for (const auto& each : samples_) {
    const std::chrono::duration<double> age = now - each.at;
    ages.push_back(std::round(age.count() * 1'000) / 1'000);
  }
  json::object groups;
  std::size_t at = 0;
  for (const auto& each : columns_) {
    auto& group = groups[text(each.group)];
    if (group.is_null()) {
      group = json::object{};
    }
    auto& figure = group.as_object()[text(each.key)];
    if (each.bounds) {
      json::array buckets;
      for (std::size_t i = 0; i < each.width; ++i) {
        buckets.push_back(values_of(at + i));
      }
      json::array bounds;
      for (const auto bound : *each.bounds) {
        bounds.push_back(std::chrono::duration<double>{bound}.count());
      }
      figure = json::object{{"bounds", std::move(bounds)}, {"buckets", std::move(buckets)}};
    } else {
      figure = values_of(at);
    }
    at += each.width;
  }
  json::object all{{"ages", std::move(ages)}, {"groups", std::move(groups)}};
  return json::serialize(json::object{{"history", std::move(all)}, {"operator", has_operator}});
}

}  // namespace zinc::http
