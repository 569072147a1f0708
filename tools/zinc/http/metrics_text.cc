#include "tools/zinc/http/metrics_text.h"

#include "tools/zinc/http/values.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace zinc::http {

namespace {

using zmtp::figure;
using durations = std::shared_ptr<const zmtp::durations>;

// Appends the number and the byte after it.
template <class Number>
void append_number(std::string& to, Number number, char after) {
  char digits[32];
  auto* const end = std::to_chars(digits, digits + sizeof digits - 1, number).ptr;
  *end = after;
  to.append(digits, end + 1);
}

using records = std::span<const zmtp::figure_record>;

// Calls `visit` with the records of each group.
template <class Visitor>
void for_each_group(records left, Visitor visit) {
  while (!left.empty()) {
    const auto end = std::find_if(left.begin(), left.end(), [&](const zmtp::figure_record& each) {
      return each.group != left.front().group;
    });
    visit(records{left.begin(), end});
    left = {end, left.end()};
  }
}

void append_label(std::string& to, std::string_view name, std::string_view value) {
  to.append(name) += "=\"";
  for (const char byte : value) {
    switch (byte) {
      case '\\': to += "\\\\"; break;
      case '"': to += "\\\""; break;
      case '\n': to += "\\n"; break;
      default: to += byte;
    }
  }
  to += '"';
}

// The labels of a record, as they are between the name of a metric and its value.
struct label_text {
  explicit label_text(const decltype(zmtp::figure_record::labels)& of) {
    for (const auto& [name, value] : of) {
      append_label(open, name, value);
      open += ',';
    }
    if (!of.empty()) {
      whole = open;
      whole.back() = '}';
      whole += ' ';
    }
  }

  std::string open{"{"};   // one more label follows
  std::string whole{" "};  // the value follows
};

void write_head(std::string& to, std::string_view name, std::string_view help,
                std::string_view type) {
  to.append("# HELP ").append(name).append(" ").append(help).append(".\n# TYPE ");
  to.append(name).append(" ").append(type).append("\n");
}

// Returns the last label of each bucket, up to the value. Only a histogram has buckets.
std::vector<std::string> bucket_labels(const zmtp::figure_value& of) {
  std::vector<std::string> all;
  if (const auto* const times = std::get_if<durations>(&of)) {
    for (const auto bound : (*times)->bounds) {
      std::string label{"le=\""};
      append_number(label, seconds(bound), '"');
      all.push_back(label + "} ");
    }
    all.emplace_back("le=\"+Inf\"} ");
  }
  return all;
}

// Writes the samples of one metric. Common text is formatted once, because samples may be many.
class sample_writer {
public:
  // The buckets of `first` are those of all samples.
  sample_writer(std::string& to, std::string name, const zmtp::figure_value& first)
      : to_{to},
        name_{std::move(name)},
        bucket_name_{name_ + "_bucket"},
        bucket_labels_{bucket_labels(first)} {}

  void write(const label_text& labels, const zmtp::figure_value& value) {
    if (const auto* const number = std::get_if<std::uint64_t>(&value)) {
      line("", labels, *number);
    } else if (const auto* const flag = std::get_if<bool>(&value)) {
      line("", labels, *flag ? 1U : 0U);
    } else if (const auto* const word = std::get_if<std::string_view>(&value)) {
      to_.append(name_).append(labels.open);
      append_label(to_, "state", *word);
      to_ += "} 1\n";
    } else {
      buckets(labels, *std::get<durations>(value));
    }
  }

private:
  void buckets(const label_text& labels, const zmtp::durations& of) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < of.counts.size(); ++i) {
      to_.append(bucket_name_).append(labels.open).append(bucket_labels_[i]);
      append_number(to_, sum += of.counts[i], '\n');
    }
    line("_sum", labels, seconds(of.sum));
    line("_count", labels, sum);
  }

  template <class Number>
  void line(std::string_view suffix, const label_text& labels, Number value) {
    to_.append(name_).append(suffix).append(labels.whole);
    append_number(to_, value, '\n');
  }

  std::string& to_;
  const std::string name_;
  const std::string bucket_name_;
  const std::vector<std::string> bucket_labels_;
};

// Writes records of one group: each metric once, with the samples of all records.
void write_group(std::string& to, records of) {
  std::vector<label_text> labels;
  labels.reserve(of.size());
  for (const auto& each : of) {
    labels.emplace_back(each.labels);
  }
  for (std::size_t i = 0; i < of.front().samples.size(); ++i) {
    const auto& [what, value] = of.front().samples[i];
    auto name = metric_name(of.front().group, *what);
    write_head(to, name, what->help, metric_type(what->is));
    sample_writer writer{to, std::move(name), value};
    for (std::size_t r = 0; r < of.size(); ++r) {
      writer.write(labels[r], of[r].samples[i].value);
    }
  }
}

// Returns about the size of the lines of all samples, rather more than less.
std::size_t expected_size(records of) {
  constexpr std::size_t without_labels = 64;
  std::size_t size = 0;
  for (const auto& record : of) {
    std::size_t line = without_labels;
    for (const auto& [name, value] : record.labels) {
      line += name.size() + value.size();
    }
    for (const auto& each : record.samples) {
      const auto* const times = std::get_if<durations>(&each.value);
      size += line * (times != nullptr ? (*times)->counts.size() + 2 : 1);
    }
  }
  return size;
}

}  // namespace

std::string metric_name(std::string_view group, const figure& of) {
  std::string name{"zinc_"};
  name.append(group).append("_").append(of.key);
  switch (of.in) {
    case figure::unit::none: break;
    case figure::unit::bytes: name += of.key.ends_with("bytes") ? "" : "_bytes"; break;
    case figure::unit::seconds: name += "_seconds"; break;
  }
  return of.is == figure::kind::counter ? name + "_total" : name;
}

std::string_view metric_type(figure::kind of) noexcept {
  switch (of) {
    case figure::kind::counter: return "counter";
    case figure::kind::gauge:
    case figure::kind::flag:
    case figure::kind::word: return "gauge";
    case figure::kind::histogram: return "histogram";
  }
  return "untyped";
}

std::string metrics_text(const report& of, std::string_view version) {
  std::string text;
  // A text that grows is copied, and the kernel clears new memory each time.
  text.reserve(expected_size(of.records));
  write_head(text, "zinc_build_info", "component and version of the program", "gauge");
  sample_writer{text, "zinc_build_info", {}}.write(
      label_text{{{"component", std::string{of.component}}, {"version", std::string{version}}}},
      std::uint64_t{1});
  write_head(text, "zinc_ready", "1 if the component serves, as in /readyz", "gauge");
  sample_writer{text, "zinc_ready", {}}.write(label_text{{}}, of.not_ready.empty());
  for_each_group(of.records, [&](records group) { write_group(text, group); });
  return text;
}

}  // namespace zinc::http
