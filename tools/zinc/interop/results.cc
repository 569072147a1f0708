#include "tools/zinc/interop/results.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace zinc::interop {

namespace {

namespace json = boost::json;

std::string text_of(const verdict& found) {
  std::string text{name_of(found.what)};
  if (!found.missing.empty()) {
    text += fmt::format(": no `{}`", found.missing);
  }
  if (!found.reason.empty()) {
    text += fmt::format("{} {}", found.missing.empty() ? ":" : ",", found.reason);
  }
  return text;
}

std::string part_of(const std::string& program, origin from) {
  return program.empty() ? "-" : std::string{name_of(from)};
}

}  // namespace

std::string_view name_of(outcome what) {
  switch (what) {
    case outcome::passed: return "passed";
    case outcome::failed: return "failed";
    case outcome::skipped: return "skipped";
  }
  return "";
}

void compare_with_control(std::vector<result>& results) {
  for (auto& one : results) {
    if (one.found.what != outcome::failed || one.played.server == one.played.client) {
      continue;
    }
    const auto same = std::any_of(results.begin(), results.end(), [&one](const result& other) {
      return other.pair == one.pair && other.drill == one.drill && other.played == control &&
             other.found.what == outcome::failed;
    });
    if (same) {
      one.found.reason += " (theirs fail with themselves too)";
    }
  }
}

std::size_t count_of(const std::vector<result>& results, outcome what) {
  return static_cast<std::size_t>(
      std::count_if(results.begin(), results.end(),
                    [what](const result& one) { return one.found.what == what; }));
}

std::string table_of(const std::vector<result>& results) {
  using row = std::array<std::string, 5>;
  std::vector<row> rows{{"pair", "drill", "server", "client", "result"}};
  for (const auto& one : results) {
    rows.push_back({one.pair, one.drill, part_of(one.server, one.played.server),
                    part_of(one.client, one.played.client), text_of(one.found)});
  }
  std::array<std::size_t, 4> widths{};
  for (const auto& one : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], one[i].size());
    }
  }
  std::string text;
  for (const auto& one : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      text += fmt::format("{:<{}}  ", one[i], widths[i]);
    }
    text += one.back() + "\n";
  }
  return text + fmt::format("{} passed, {} failed, {} skipped\n",
                            count_of(results, outcome::passed), count_of(results, outcome::failed),
                            count_of(results, outcome::skipped));
}

std::string json_of(const std::vector<result>& results, const std::string& notice) {
  json::array all;
  for (const auto& one : results) {
    json::object entry{{"group", one.group}, {"pair", one.pair}, {"drill", one.drill}};
    const auto add_part = [&entry](const char* name, const std::string& program, origin from) {
      entry[name] = program.empty()
                        ? json::value{}
                        : json::object{{"program", program}, {"whose", std::string{name_of(from)}}};
    };
    add_part("server", one.server, one.played.server);
    add_part("client", one.client, one.played.client);
    entry["result"] = std::string{name_of(one.found.what)};
    if (!one.found.reason.empty()) {
      entry["reason"] = one.found.reason;
    }
    if (!one.found.missing.empty()) {
      entry["missing"] = one.found.missing;
    }
    all.push_back(std::move(entry));
  }
  json::object whole{{"passed", count_of(results, outcome::passed)},
                     {"failed", count_of(results, outcome::failed)},
                     {"skipped", count_of(results, outcome::skipped)}};
  if (!notice.empty()) {
    whole["notice"] = notice;
  }
  whole["results"] = std::move(all);
  return json::serialize(whole) + "\n";
}

}  // namespace zinc::interop
