#include "tools/zinc/http/status_json.h"

#include "tools/zinc/http/metrics_text.h"
#include "tools/zinc/http/values.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <variant>

namespace zinc::http {

namespace {

namespace json = boost::json;

struct to_json {
  json::value operator()(std::uint64_t number) const { return number; }
  json::value operator()(bool flag) const { return flag; }
  json::value operator()(std::string_view word) const { return text(word); }
  json::value operator()(const std::shared_ptr<const zmtp::durations>& of) const {
    json::array counts;
    std::uint64_t count = 0;
    for (const auto each : of->counts) {
      counts.push_back(each);
      count += each;
    }
    return json::object{
        {"count", count}, {"sum", seconds(of->sum)}, {"buckets", std::move(counts)}};
  }
};

std::string_view unit_of(const zmtp::figure& of) {
  switch (of.in) {
    case zmtp::figure::unit::none: return "";
    case zmtp::figure::unit::bytes: return "bytes";
    case zmtp::figure::unit::seconds: return "seconds";
  }
  return "";
}

json::array bucket_bounds(const zmtp::durations& of) {
  json::array all;
  for (const auto each : of.bounds) {
    all.push_back(seconds(each));
  }
  return all;
}

json::object description_of(const zmtp::figure_record& of) {
  json::object all;
  for (const auto& each : of.samples) {
    json::object about{
        {"metric", metric_name(of.group, *each.what)},
        {"type", text(metric_type(each.what->is))},
        {"unit", text(unit_of(*each.what))},
        {"help", text(each.what->help)},
    };
    if (const auto* const times =
            std::get_if<std::shared_ptr<const zmtp::durations>>(&each.value)) {
      about["bounds"] = bucket_bounds(**times);
    }
    all[text(each.what->key)] = std::move(about);
  }
  return all;
}

json::object record_of(const zmtp::figure_record& of) {
  json::object all;
  all.reserve(of.labels.size() + of.samples.size());
  for (const auto& [name, value] : of.labels) {
    all[text(name)] = value;
  }
  for (const auto& each : of.samples) {
    all[text(each.what->key)] = std::visit(to_json{}, each.value);
  }
  return all;
}

}  // namespace

json::value status_value(const report& of, std::string_view version) {
  json::object figures;
  json::object groups;
  for (const auto& each : of.records) {
    auto& group = groups[text(each.group)];
    if (group.is_null()) {
      group = json::array{};
      figures[text(each.group)] = description_of(each);
    }
    group.as_array().push_back(record_of(each));
  }
  return json::object{
      {"component", text(of.component)}, {"version", text(version)},
      {"ready", of.not_ready.empty()},   {"not_ready", of.not_ready},
      {"figures", std::move(figures)},   {"groups", std::move(groups)},
  };
}

std::string status_json(const report& of, std::string_view version) {
  return json::serialize(status_value(of, version));
}

}  // namespace zinc::http
