#include "tools/zinc/status/value.h"

#include "tools/zinc/http/values.h"
#include "tools/zinc/status/fault.h"
#include "tools/zinc/units.h"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>

namespace zinc::status {

namespace json = boost::json;

namespace {

std::string_view view(const json::string& of) { return {of.data(), of.size()}; }
std::string_view view(json::string_view of) { return {of.data(), of.size()}; }

const json::object* object_in(const json::object& of, std::string_view key) {
  const auto* const found = of.if_contains(http::text(key));
  return found == nullptr ? nullptr : found->if_object();
}

// `about`: the description of the figure, or null. A label has none.
member member_of(std::string_view key, const json::value& value, const json::object* about) {
  member made{.key = std::string{key},
              .is = about == nullptr && value.is_string() ? kind::label : kind::state,
              .in = unit::none};
  if (about != nullptr) {
    const auto type = word_of(*about, "type");
    const auto in = word_of(*about, "unit");
    made.is = type == "counter" ? kind::counter : type == "histogram" ? kind::times : kind::state;
    made.in = in == "bytes" ? unit::bytes : in == "seconds" ? unit::seconds : unit::none;
  }
  return made;
}

[[noreturn]] void fail() {
  throw fault{exit_code::failed, "the answer is not a status of zinc; check the address"};
}

}  // namespace

bool group::is_list() const noexcept {
  return std::any_of(members.begin(), members.end(), [](const member& each) {
    return each.is == kind::label && each.key != "endpoint";
  });
}

std::vector<group> groups_of(const json::value& status) {
  const auto* const all = status.if_object();
  const auto* const groups = all == nullptr ? nullptr : object_in(*all, "groups");
  if (groups == nullptr) {
    fail();
  }
  const auto* const figures = object_in(*all, "figures");
  std::vector<group> found;
  for (const auto& [name, records] : *groups) {
    const auto* const list = records.if_array();
    if (list == nullptr) {
      fail();
    }
    auto& added = found.emplace_back();
    added.name = view(name);
    const auto* const about = figures == nullptr ? nullptr : object_in(*figures, view(name));
    for (const auto& each : *list) {
      const auto* const record = each.if_object();
      if (record == nullptr) {
        fail();
      }
      if (added.records.empty()) {
        for (const auto& [key, value] : *record) {
          added.members.push_back(member_of(
              view(key), value, about == nullptr ? nullptr : object_in(*about, view(key))));
        }
      }
      added.records.push_back(record);
    }
  }
  return found;
}

const group* find(const std::vector<group>& all, std::span<const std::string_view> names) {
  for (const auto name : names) {
    for (const auto& each : all) {
      if (each.name == name) {
        return &each;
      }
    }
  }
  return nullptr;
}

double number_of(const json::object& record, std::string_view key) {
  const auto* const value = record.if_contains(http::text(key));
  return value != nullptr && value->is_number() ? value->to_number<double>() : 0;
}

total_time times_of(const json::object& record, std::string_view key) {
  const auto* const times = object_in(record, key);
  return times == nullptr ? total_time{}
                          : total_time{number_of(*times, "count"), number_of(*times, "sum")};
}

std::string word_of(const json::object& of, std::string_view key) {
  const auto* const value = of.if_contains(http::text(key));
  return value != nullptr && value->is_string() ? std::string{view(value->get_string())}
                                                : std::string{};
}

std::string mean_text(const total_time& of) {
  if (!(of.count > 0)) {
    return "-";
  }
  const auto seconds = of.seconds / of.count;
  return seconds < 1e-3  ? fmt::format("{:.0f}us", seconds * 1e6)
         : seconds < 0.1 ? fmt::format("{:.1f}ms", seconds * 1e3)
         : seconds < 1   ? fmt::format("{:.0f}ms", seconds * 1e3)
                         : fmt::format("{:.1f}s", seconds);
}

std::string cell_of(const json::object& record, const member& of) {
  const auto* const value = record.if_contains(http::text(of.key));
  if (value == nullptr) {
    return "-";
  }
  if (of.is == kind::times) {
    return mean_text(times_of(record, of.key));
  }
  if (value->is_bool()) {
    return value->get_bool() ? "yes" : "no";
  }
  if (value->is_string()) {
    return std::string{view(value->get_string())};
  }
  const auto* const number = value->if_uint64();
  const auto* const small = value->if_int64();
  const auto of_unit = number != nullptr                 ? *number
                       : small != nullptr && *small >= 0 ? static_cast<std::uint64_t>(*small)
                                                         : UINT64_MAX;
  if (of.in == unit::bytes && of_unit != UINT64_MAX) {
    return text_of_size(of_unit);
  }
  constexpr std::uint64_t longest = std::uint64_t{1} << 32U;
  if (of.in == unit::seconds && of_unit < longest) {
    return zinc::text_of(std::chrono::seconds{of_unit});
  }
  // Boost.JSON writes -1.5E0, which people do not read well.
  const auto* const decimal = value->if_double();
  return decimal != nullptr ? fmt::format("{}", *decimal) : json::serialize(*value);
}

bool says_nothing(const group& of, const member& which) {
  const auto all = [&of](const auto& holds) {
    return std::all_of(of.records.begin(), of.records.end(),
                       [&](const json::object* each) { return holds(*each); });
  };
  switch (which.is) {
    case kind::state: return false;
    case kind::counter:
      return all([&](const json::object& each) { return !(number_of(each, which.key) > 0); });
    case kind::times:
      return all([&](const json::object& each) { return !(times_of(each, which.key).count > 0); });
    case kind::label: {
      const auto first = of.records.empty() ? std::string{} : word_of(*of.records[0], which.key);
      return (first.empty() || which.key == "endpoint") &&
             all([&](const json::object& each) { return word_of(each, which.key) == first; });
    }
  }
  return false;
}

}  // namespace zinc::status
