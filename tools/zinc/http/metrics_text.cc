#include "tools/zinc/http/metrics_text.h"

#include "tools/zinc/http/values.h"

#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

namespace zinc::http {

namespace {

using zmtp::figure;
using records = std::span<const zmtp::figure_record>;

template <class Number>
void append_number(std::string& to, Number number) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  to.append(digits, end);
}

void append_label(std::string& to, std::string_view name, std::string_view value) {
  to += to.empty() ? "" : ",";
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

// Returns the labels of a record without braces.
std::string labels_of(const zmtp::figure_record& of) {
  std::string text;
  for (const auto& [name, value] : of.labels) {
    append_label(text, name, value);
  }
  return text;
}

class writer {
public:
  explicit writer(std::string& to) : to_{to} {}

  void head(std::string_view name, std::string_view help, std::string_view type) {
    to_.append("# HELP ").append(name).append(" ").append(help).append(".\n# TYPE ");
    to_.append(name).append(" ").append(type).append("\n");
  }

  void sample(std::string_view name, const std::string& labels, const zmtp::figure_value& value) {
    if (const auto* const number = std::get_if<std::uint64_t>(&value)) {
      line(name, "", labels, *number);
    } else if (const auto* const flag = std::get_if<bool>(&value)) {
      line(name, "", labels, *flag ? 1U : 0U);
    } else if (const auto* const word = std::get_if<std::string_view>(&value)) {
      auto with_word = labels;
      append_label(with_word, "state", *word);
      line(name, "", with_word, 1U);
    } else {
      durations(name, labels, *std::get<3>(value));
    }
  }

private:
  void durations(std::string_view name, const std::string& labels, const zmtp::durations& of) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < of.counts.size(); ++i) {
      to_.append(name).append("_bucket{").append(labels).append(labels.empty() ? "" : ",");
      to_ += "le=\"";
      if (i < of.bounds.size()) {
        append_number(to_, seconds(of.bounds[i]));
      } else {
        to_ += "+Inf";
      }
      to_ += "\"} ";
      append_number(to_, sum += of.counts[i]);
      to_ += '\n';
    }
    line(name, "_sum", labels, seconds(of.sum));
    line(name, "_count", labels, sum);
  }

  template <class Number>
  void line(std::string_view name, std::string_view suffix, const std::string& labels,
            Number value) {
    to_.append(name).append(suffix);
    if (!labels.empty()) {
      to_.append("{").append(labels).append("}");
    }
    to_ += ' ';
    append_number(to_, value);
    to_ += '\n';
  }

  std::string& to_;
};

// Writes records of one group: each metric once, with the samples of all records.
void write_group(writer& to, records of) {
  std::vector<std::string> labels;
  labels.reserve(of.size());
  for (const auto& each : of) {
    labels.push_back(labels_of(each));
  }
  for (std::size_t i = 0; i < of.front().samples.size(); ++i) {
    const auto& what = *of.front().samples[i].what;
    const auto name = metric_name(of.front().group, what);
    to.head(name, what.help, metric_type(what.is));
    for (std::size_t r = 0; r < of.size(); ++r) {
      to.sample(name, labels[r], of[r].samples[i].value);
    }
  }
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
  writer to{text};
  std::string labels;
  append_label(labels, "component", of.component);
  append_label(labels, "version", version);
  to.head("zinc_build_info", "component and version of the program", "gauge");
  to.sample("zinc_build_info", labels, std::uint64_t{1});
  to.head("zinc_ready", "1 if the component serves, as in /readyz", "gauge");
  to.sample("zinc_ready", {}, of.not_ready.empty());
  for (records left{of.records}; !left.empty();) {
    std::size_t size = 1;
    while (size < left.size() && left[size].group == left.front().group) {
      ++size;
    }
    write_group(to, left.first(size));
    left = left.subspan(size);
  }
  return text;
}

}  // namespace zinc::http
