#include "tools/zinc/http/status_json.h"

#include "tools/zinc/http/metrics_text.h"
#include "tools/zinc/http/values.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <variant>
#include <vector>

namespace zinc::http {

namespace {

namespace json = boost::json;

// Members and elements are written with a comma after each. Ends a list or an object of them.
void close(std::string& to, char with) {
  if (to.back() == ',') {
    to.pop_back();
  }
  to += with;
}

void append_string(std::string& to, std::string_view value) {
  to += '"';
  for (const char byte : value) {
    if (byte == '"' || byte == '\\') {
      (to += '\\') += byte;
    } else if (static_cast<unsigned char>(byte) < ' ') {
      to += fmt::format("\\u{:04x}", byte);
    } else {
      to += byte;
    }
  }
  to += '"';
}

// Appends a value and a comma.
struct append_value {
  std::string& to;

  void operator()(std::uint64_t number) const { append_number(to, number, ','); }
  void operator()(bool flag) const { to += flag ? "true," : "false,"; }
  void operator()(std::string_view word) const {
    append_string(to, word);
    to += ',';
  }
  void operator()(const std::shared_ptr<const zmtp::durations>& of) const {
    to += "{\"count\":";
    append_number(to, std::accumulate(of->counts.begin(), of->counts.end(), std::uint64_t{0}), ',');
    to += "\"sum\":";
    append_number(to, seconds(of->sum), ',');
    to += "\"buckets\":[";
    for (const auto each : of->counts) {
      append_number(to, each, ',');
    }
    close(to, ']');
    to += "},";
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

void append_group(std::string& to, records of) {
  // The keys of all records, formatted once, because there may be many records.
  std::vector<std::string> keys;
  for (const auto& each : of.front().samples) {
    keys.push_back(fmt::format("\"{}\":", each.what->key));
  }
  to += fmt::format("\"{}\":[", of.front().group);
  for (const auto& record : of) {
    to += '{';
    for (const auto& [name, value] : record.labels) {
      to.append("\"").append(name).append("\":");
      append_string(to, value);
      to += ',';
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
      to += keys[i];
      std::visit(append_value{to}, record.samples[i].value);
    }
    close(to, '}');
    to += ',';
  }
  close(to, ']');
  to += ',';
}

}  // namespace

std::string status_json(const report& of, std::string_view version) {
  json::object figures;
  for_each_group(of.records, [&](records group) {
    figures[text(group.front().group)] = description_of(group.front());
  });
  auto all = json::serialize(json::object{
      {"component", text(of.component)},
      {"version", text(version)},
      {"ready", of.not_ready.empty()},
      {"not_ready", of.not_ready},
      {"figures", std::move(figures)},
  });
  // The groups are long and have one form, so that they are written as text.
  all.back() = ',';
  all += "\"groups\":{";
  for_each_group(of.records, [&](records group) { append_group(all, group); });
  close(all, '}');
  all += '}';
  return all;
}

}  // namespace zinc::http
