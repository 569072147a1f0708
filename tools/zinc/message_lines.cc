#include "tools/zinc/message_lines.h"

#include "tools/zinc/json_of.h"
#include "tools/zinc/terminal_text.h"

#include <boost/algorithm/hex.hpp>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <boost/system/error_code.hpp>

#include <algorithm>
#include <iterator>
#include <vector>

namespace zinc {

namespace {

std::string hex_of(std::string_view bytes) {
  std::string hex;
  boost::algorithm::hex_lower(bytes, std::back_inserter(hex));
  return hex;
}

std::string bytes_of(std::string_view hex) {
  std::string bytes;
  try {
    boost::algorithm::unhex(hex, std::back_inserter(bytes));
  } catch (const boost::algorithm::hex_decode_error&) {
    throw unreadable_line{"'" + std::string{hex} +
                          "' is not hexadecimal; give an even number of digits"};
  }
  return bytes;
}

std::string written_text(std::string_view part, bool terminal) {
  const bool one_line = std::none_of(part.begin(), part.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) < ' ' && byte != '\t') || byte == '\x7f';
  });
  if (one_line && json_of(part).is_string() && (!terminal || readable(part) == part)) {
    return std::string{part};
  }
  return boost::json::serialize(boost::json::object{{"hex", hex_of(part)}});
}

std::string part_of(const boost::json::value& value) {
  if (const auto* const text = value.if_string()) {
    return {text->data(), text->size()};
  }
  const auto* const object = value.if_object();
  const auto* const hex =
      object != nullptr && object->size() == 1 ? object->if_contains("hex") : nullptr;
  if (hex == nullptr || !hex->is_string()) {
    throw unreadable_line{boost::json::serialize(value) +
                          R"( is not a part; give "text" or {"hex": "00ff"})"};
  }
  return bytes_of({hex->get_string().data(), hex->get_string().size()});
}

std::string routing_id_of(std::string_view text) {
  boost::system::error_code ec;
  const auto value = boost::json::parse({text.data(), text.size()}, ec);
  return !ec && value.is_object() ? part_of(value) : std::string{text};
}

std::vector<std::string_view> split(std::string_view line, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = line.find(separator);
    parts.push_back(line.substr(0, end));
    if (end == std::string_view::npos) {
      return parts;
    }
    line.remove_prefix(end + separator.size());
  }
}

zmtp::message of_text(std::string_view line, const line_style& style) {
  zmtp::message m;
  if (style.routed) {
    const auto separator =
        style.separator.empty() ? std::string_view{" "} : std::string_view{style.separator};
    const auto end = line.find(separator);
    if (end == std::string_view::npos) {
      throw unreadable_line{"no routing id; give the routing id of a peer, '" +
                            std::string{separator} + "' and the message"};
    }
    m.push_back(routing_id_of(line.substr(0, end)));
    line.remove_prefix(end + separator.size());
  }
  if (style.separator.empty()) {
    m.push_back(line);
    return m;
  }
  for (const auto part : split(line, style.separator)) {
    m.push_back(part);
  }
  return m;
}

zmtp::message of_json(std::string_view line) {
  boost::system::error_code ec;
  const auto value = boost::json::parse({line.data(), line.size()}, ec);
  if (ec) {
    throw unreadable_line{"not valid JSON: " + ec.message() + R"(; give ["a part", "another"])"};
  }
  zmtp::message m;
  if (const auto* const parts = value.if_array()) {
    if (parts->empty()) {
      throw unreadable_line{"no parts; give at least one"};
    }
    for (const auto& part : *parts) {
      m.push_back(part_of(part));
    }
  } else {
    m.push_back(part_of(value));
  }
  return m;
}

zmtp::message of_hex(std::string_view line) {
  zmtp::message m;
  for (const auto word : split(line, " ")) {
    if (!word.empty()) {
      m.push_back(word == "-" ? std::string{} : bytes_of(word));
    }
  }
  if (m.empty()) {
    throw unreadable_line{"no parts; give at least one, - is an empty part"};
  }
  return m;
}

}  // namespace

std::string line_of(const zmtp::message& m, const line_style& style) {
  std::string line;
  const auto join = [&](std::string_view separator, auto&& written) {
    std::string_view before;
    for (const auto part : m) {
      line.append(before).append(written(part));
      before = separator;
    }
  };
  switch (style.form) {
    case line_form::lines:
      join(style.separator.empty() ? " " : std::string_view{style.separator},
           [&](std::string_view part) { return written_text(part, style.terminal); });
      break;
    case line_form::hex:
      join(" ", [](std::string_view part) { return part.empty() ? "-" : hex_of(part); });
      break;
    case line_form::json: {
      boost::json::array parts;
      for (const auto part : m) {
        parts.push_back(json_of(part));
      }
      line = style.terminal ? ascii_json(parts) : boost::json::serialize(parts);
      break;
    }
    case line_form::raw: join({}, [](std::string_view part) { return part; }); return line;
  }
  line += '\n';
  return line;
}

zmtp::message message_of(std::string_view line, const line_style& style) {
  switch (style.form) {
    case line_form::lines: return of_text(line, style);
    case line_form::json: return of_json(line);
    case line_form::hex: return of_hex(line);
    case line_form::raw: break;
  }
  throw unreadable_line{"raw is not a form of input; give lines, json or hex"};
}

}  // namespace zinc
