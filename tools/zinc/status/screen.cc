#include "tools/zinc/status/screen.h"

#include "tools/zinc/status/table.h"
#include "tools/zinc/status/views.h"
#include "tools/zinc/terminal_text.h"

#include <boost/json/object.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

namespace zinc::status {

namespace json = boost::json;

namespace {

// The labels of a record, which tell it from the others of its group.
std::string name_of(const group& of, const json::object& record) {
  std::string name;
  for (const auto& each : of.members) {
    if (each.is == kind::label) {
      name += word_of(record, each.key) + '\0';
    }
  }
  return name;
}

// Returns whether a server has started again: what only rises has fallen.
bool has_started_again(const group& of, const json::object& before, const json::object& now) {
  return std::any_of(of.members.begin(), of.members.end(), [&](const member& each) {
    if (each.is == kind::counter) {
      return number_of(now, each.key) < number_of(before, each.key);
    }
    const auto then = times_of(before, each.key);
    const auto all = times_of(now, each.key);
    return each.is == kind::times && (all.count < then.count || all.seconds < then.seconds);
  });
}

// The records of a group in the last status, and the time since then.
class past {
public:
  past(const std::vector<group>& before, const group& of, double seconds) : seconds_{seconds} {
    const std::string_view name = of.name;
    std::map<std::string, const json::object*> old;
    if (const auto* const found = find(before, {&name, 1})) {
      for (const auto* const each : found->records) {
        old.emplace(name_of(of, *each), each);
      }
    }
    for (const auto* const each : of.records) {
      const auto at = old.find(name_of(of, *each));
      if (at != old.end() && !has_started_again(of, *at->second, *each)) {
        before_.emplace(each, at->second);
      }
    }
  }

  // Returns nothing for a new record.
  [[nodiscard]] std::optional<double> rate(const json::object& now, const std::string& key) const {
    const auto at = before_.find(&now);
    if (at == before_.end() || !(seconds_ > 0)) {
      return std::nullopt;
    }
    return (number_of(now, key) - number_of(*at->second, key)) / seconds_;
  }

  // Returns the durations since then, or all of a new record.
  [[nodiscard]] total_time times(const json::object& now, const std::string& key) const {
    const auto all = times_of(now, key);
    const auto at = before_.find(&now);
    const auto then = at == before_.end() ? total_time{} : times_of(*at->second, key);
    return {all.count - then.count, all.seconds - then.seconds};
  }

private:
  const double seconds_;
  // By the records of now. A record of a server that has started again is new.
  std::map<const json::object*, const json::object*> before_;
};

std::string rate_text(std::optional<double> rate) {
  return !rate                        ? "-"
         : *rate > 0 && *rate < 99.95 ? fmt::format("{:.1f}", *rate)
                                      : fmt::format("{:.0f}", *rate);
}

// Appends words, as many to a line as fit.
void append_words(std::vector<std::string>& lines, const std::vector<std::string>& words,
                  std::size_t width) {
  std::string line;
  for (const auto& word : words) {
    if (!line.empty() && width != 0 && line.size() + 2 + word.size() > width) {
      lines.push_back(std::exchange(line, {}));
    }
    line += (line.empty() ? "" : "  ") + word;
  }
  if (!line.empty()) {
    lines.push_back(line);
  }
}

std::vector<std::string> totals_of(const group& of, const json::object& record, const past& then) {
  const group alone{.name = {}, .members = {}, .records = {&record}};
  std::vector<std::string> words;
  for (const auto& each : of.members) {
    if (each.is == kind::label || says_nothing(alone, each)) {
      continue;
    }
    auto word = each.key + ' ';
    if (each.is == kind::times) {
      word += mean_text(then.times(record, each.key));
    } else {
      word += cell_of(record, each);
    }
    if (each.is == kind::counter) {
      word += fmt::format(" ({}/s)", rate_text(then.rate(record, each.key)));
    }
    words.push_back(for_terminal(word));
  }
  return words;
}

struct row {
  const json::object* record;
  double number = 0;  // orders the rows, the largest first
  std::string text;   // orders them where the numbers are equal, the smallest first
};

// The members of the group that have a column, and the one that orders the rows.
struct columns {
  std::vector<const member*> shown;
  const member* sort = nullptr;
};

columns columns_of(const group& of, const std::string& sort) {
  columns all;
  for (const auto& each : of.members) {
    if (says_nothing(of, each)) {
      continue;
    }
    all.shown.push_back(&each);
    const bool chosen =
        sort.empty() ? all.sort == nullptr && each.is == kind::counter : each.key == sort;
    all.sort = chosen ? &each : all.sort;
  }
  return all;
}

std::vector<row> rows_of(const group& of, const member* sort, const past& then) {
  std::vector<row> rows;
  for (const auto* const record : of.records) {
    row made{.record = record, .text = name_of(of, *record)};
    if (sort != nullptr) {
      switch (sort->is) {
        case kind::label: made.text = word_of(*record, sort->key) + '\0' + made.text; break;
        case kind::state: made.number = number_of(*record, sort->key); break;
        case kind::counter: made.number = then.rate(*record, sort->key).value_or(0); break;
        case kind::times: {
          const auto times = then.times(*record, sort->key);
          made.number = times.count > 0 ? times.seconds / times.count : 0;
        }
      }
    }
    rows.push_back(std::move(made));
  }
  return rows;
}

std::string cell_in_top(const json::object& record, const member& of, const past& then) {
  switch (of.is) {
    case kind::counter: return rate_text(then.rate(record, of.key));
    case kind::times: return mean_text(then.times(record, of.key));
    case kind::label:
    case kind::state: break;
  }
  return cell_of(record, of);
}

// Leaves room for the figures beside a long name.
std::string short_label(const std::string& label, std::size_t width) {
  const auto escaped = for_terminal(label);
  const auto most = std::max<std::size_t>(width / 3, 8);
  return width == 0 || escaped.size() <= most ? escaped : escaped.substr(0, most - 2) + "..";
}

void append_table(screen& to, const group& of, const past& then, const layout& how) {
  const auto all = columns_of(of, how.sort);
  auto rows = rows_of(of, all.sort, then);
  std::stable_sort(rows.begin(), rows.end(), [](const row& a, const row& b) {
    return a.number != b.number ? a.number > b.number : a.text < b.text;
  });
  if (how.reverse) {
    std::reverse(rows.begin(), rows.end());
  }
  table made;
  for (const auto* const each : all.shown) {
    to.keys.push_back(each->key);
    made.columns.push_back(
        {title_of(each->key) + (each->is == kind::counter ? "/S" : ""), each->is != kind::label});
  }
  for (const auto& each : rows) {
    auto& added = made.rows.emplace_back();
    for (const auto* const column : all.shown) {
      auto cell = cell_in_top(*each.record, *column, then);
      added.push_back(column->is == kind::label ? short_label(cell, how.width) : std::move(cell));
    }
  }
  to.lines.emplace_back();
  to.titles = to.lines.size();
  for (auto& line : lines_of(made)) {
    to.lines.push_back(std::move(line));
  }
}

}  // namespace

screen screen_of(const json::value& now, const json::value* before, double seconds,
                 const layout& how, std::string_view remark) {
  const auto groups = groups_of(now);
  const auto last = before == nullptr ? std::vector<group>{} : groups_of(*before);
  screen made;
  made.lines.push_back(head_of(now));
  if (!remark.empty()) {
    made.lines.push_back(for_terminal(remark));
  }
  for (const auto& each : groups) {
    // The figures of the HTTP server say little of what it serves.
    if (each.is_list() || each.name == "http") {
      continue;
    }
    const past then{last, each, seconds};
    for (const auto* const record : each.records) {
      append_words(made.lines, totals_of(each, *record, then), how.width);
    }
  }
  if (const auto* const list = find(groups, how.lists); list != nullptr && !list->records.empty()) {
    append_table(made, *list, past{last, *list, seconds}, how);
  }
  if (how.height != 0 && made.lines.size() > how.height) {
    made.lines.resize(how.height);
  }
  for (auto& line : made.lines) {
    if (how.width != 0 && line.size() > how.width) {
      line.resize(how.width);
    }
  }
  return made;
}

}  // namespace zinc::status
