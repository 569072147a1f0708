#include "tools/zinc/status/views.h"

#include "tools/zinc/terminal_text.h"

#include <boost/json/object.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

namespace zinc::status {

namespace json = boost::json;

namespace {

// The figures of one record, one below the other.
table sheet_of(const group& of, const json::object& record) {
  table made{.columns = {{title_of(of.name)}, {"", true}}, .rows = {}};
  for (const auto& each : of.members) {
    const group alone{.name = {}, .members = {}, .records = {&record}};
    if (each.key == "endpoint" || !says_nothing(alone, each)) {
      made.rows.push_back({each.key, cell_of(record, each)});
    }
  }
  return made;
}

bool is_one_of(const std::string& name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string title_of(const std::string& key) {
  std::string title;
  std::transform(key.begin(), key.end(), std::back_inserter(title),
                 [](unsigned char each) { return static_cast<char>(std::toupper(each)); });
  return title;
}

std::string head_of(const json::value& status) {
  const auto* const all = status.if_object();
  if (all == nullptr) {
    return {};
  }
  const auto version = word_of(*all, "version");
  const auto reason = word_of(*all, "not_ready");
  return for_terminal(fmt::format("{}{}: {}", word_of(*all, "component"),
                                  version.empty() ? "" : ' ' + version,
                                  reason.empty() ? "ready" : "not ready: " + reason));
}

void remove_peers(json::value& status) {
  auto* const all = status.if_object();
  for (const auto* const part : {"groups", "figures"}) {
    auto* const found = all == nullptr ? nullptr : all->if_contains(part);
    auto* const groups = found == nullptr ? nullptr : found->if_object();
    for (const auto names : {std::span{worker_groups}, std::span{client_groups}}) {
      for (const auto name : names) {
        if (groups != nullptr) {
          groups->erase({name.data(), name.size()});
        }
      }
    }
  }
}

std::string status_text(const json::value& status) {
  auto text = head_of(status) + '\n';
  for (const auto& each : groups_of(status)) {
    if (is_one_of(each.name, worker_groups) || is_one_of(each.name, client_groups)) {
      continue;
    }
    if (each.is_list()) {
      text += '\n' + text_of(table_of(each));
      continue;
    }
    for (const auto* const record : each.records) {
      text += '\n' + text_of(sheet_of(each, *record));
    }
  }
  return text;
}

std::string cut_text(const std::vector<group>& all, std::span<const std::string_view> lists) {
  const auto* const list = find(all, lists);
  const std::string_view brokers = "broker";
  const auto* const totals = find(all, {&brokers, 1});
  if (list == nullptr || totals == nullptr ||
      (!is_one_of(list->name, worker_groups) && !is_one_of(list->name, client_groups))) {
    return {};
  }
  double total = 0;
  for (const auto* const each : totals->records) {
    total += number_of(*each, list->name + 's');
  }
  const auto listed = list->records.size();
  return total > static_cast<double>(listed)
             ? fmt::format(
                   "only {} of {:.0f} {}s are listed; connect to the broker over MMI for all",
                   listed, total, list->name)
             : std::string{};
}

table table_of(const group& of) {
  table made;
  std::vector<const member*> shown;
  for (const auto& each : of.members) {
    if (!says_nothing(of, each)) {
      shown.push_back(&each);
      made.columns.push_back({title_of(each.key), each.is != kind::label});
    }
  }
  for (const auto* const record : of.records) {
    auto& row = made.rows.emplace_back();
    for (const auto* const each : shown) {
      row.push_back(cell_of(*record, *each));
    }
  }
  return made;
}

json::array list_of(const group& of) {
  json::array all;
  for (const auto* const each : of.records) {
    all.push_back(*each);
  }
  return all;
}

}  // namespace zinc::status
