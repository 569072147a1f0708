#include "tools/zinc/dump/record_lines.h"

#include "tools/zinc/json_of.h"
#include "tools/zinc/printable.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/chrono.h>
#include <fmt/core.h>

#include <cstddef>
#include <ctime>
#include <string_view>
#include <variant>

namespace zinc::dump {

namespace {

std::string_view word_of(record_kind kind) {
  switch (kind) {
    case record_kind::opened: return "opened";
    case record_kind::greeting: return "greeting";
    case record_kind::command: return "command";
    case record_kind::message: return "message";
    case record_kind::fault: return "fault";
    case record_kind::closed: return "closed";
  }
  return "";
}

bool is_of_side(record_kind kind) {
  return kind != record_kind::opened && kind != record_kind::closed;
}

std::string text_of(const field& one) {
  if (const auto* const number = std::get_if<std::uint64_t>(&one.value)) {
    return fmt::format(" {}={}", one.name, *number);
  }
  return fmt::format(" {}={}", printable(one.name), quoted(std::get<std::string>(one.value)));
}

std::string text_of(const part& one) {
  if (one.start.size() == one.size) {
    return quoted(one.start);
  }
  return one.start.empty() ? fmt::format("({} bytes)", one.size)
                           : fmt::format("{}... ({} bytes)", quoted(one.start), one.size);
}

// Returns the number of bytes behind other text that are the beginning of a character of UTF-8.
std::size_t begun_character(std::string_view text) {
  for (std::size_t count = 1; count <= 3 && count < text.size(); ++count) {
    const auto byte = static_cast<unsigned char>(text[text.size() - count]);
    if ((byte & 0xc0U) != 0x80U) {
      const bool leads = byte >= 0xc2 && byte <= 0xf4;
      const std::size_t length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return leads && count < length ? count : 0;
    }
  }
  return 0;
}

// A start that ends inside a character has all characters before it.
boost::json::value start_of(const part& one) {
  const auto cut = one.start.size() < one.size ? begun_character(one.start) : 0;
  return json_of(std::string_view{one.start}.substr(0, one.start.size() - cut));
}

}  // namespace

std::string text_line_of(const record& one, const stamp& when) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(when.time);
  auto line = fmt::format("{:%H:%M:%S}.{:06} {}", fmt::localtime(std::time_t{seconds.count()}),
                          (when.time - seconds).count(), when.connection);
  if (is_of_side(one.kind)) {
    line += fmt::format(" {} {}", one.from == side::connecting ? '>' : '<', one.offset);
  }
  switch (one.kind) {
    case record_kind::command: line += ' ' + printable_words(one.name); break;
    case record_kind::fault: line += " fault: " + printable_words(one.name); break;
    case record_kind::opened:
    case record_kind::greeting:
    case record_kind::message:
    case record_kind::closed:
      line += fmt::format(" {}{}{}", word_of(one.kind), one.name.empty() ? "" : " ",
                          printable_words(one.name));
  }
  for (const auto& each : one.fields) {
    line += text_of(each);
  }
  if (one.kind == record_kind::message) {
    line += " |";
    for (const auto& each : one.parts) {
      line += ' ' + text_of(each);
    }
    if (one.more_parts != 0) {
      line += fmt::format(" and {} parts", one.more_parts);
    }
  }
  return line + '\n';
}

std::string json_line_of(const record& one, const stamp& when) {
  boost::json::object line{{"time_us", when.time.count()}, {"connection", when.connection}};
  if (is_of_side(one.kind)) {
    line["from"] = one.from == side::connecting ? "connecting" : "accepting";
    line["offset"] = one.offset;
  }
  line["record"] = boost::json::string_view{word_of(one.kind)};
  if (!one.name.empty()) {
    line[one.kind == record_kind::fault ? "text" : "name"] = json_of(one.name);
  }
  if (!one.fields.empty()) {
    boost::json::object fields;
    for (const auto& each : one.fields) {
      fields[each.name] = std::visit(
          []<class Value>(const Value& value) -> boost::json::value {
            if constexpr (std::is_same_v<Value, std::string>) {
              return json_of(value);
            } else {
              return value;
            }
          },
          each.value);
    }
    line["fields"] = std::move(fields);
  }
  if (one.kind == record_kind::message) {
    boost::json::array parts;
    for (const auto& each : one.parts) {
      boost::json::object made{{"size", each.size}};
      if (!each.start.empty()) {
        made["start"] = start_of(each);
      }
      parts.push_back(std::move(made));
    }
    line["parts"] = std::move(parts);
    if (one.more_parts != 0) {
      line["more_parts"] = one.more_parts;
    }
  }
  return boost::json::serialize(line) + '\n';
}

}  // namespace zinc::dump
