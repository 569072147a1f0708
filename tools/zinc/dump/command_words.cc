#include "tools/zinc/dump/command_words.h"

#include "zmtp/frame.h"
#include "zmtp/options.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <variant>

namespace zinc::dump {

namespace {

using zmtp::errc;
using zmtp::error_code;

constexpr std::array<std::string_view, 5> handshake_names{"HELLO", "WELCOME", "INITIATE", "READY",
                                                          "ERROR"};

constexpr std::string_view unknown_name{"unknown command"};

void add_size(record& to, std::string_view data) {
  to.fields.push_back({"size", std::uint64_t{data.size()}});
}

// The fields of RFC 24.
error_code add_plain_hello(record& to, std::string_view data) {
  zmtp::byte_reader reader{data};
  const auto username = reader.sized(1);
  const auto password = reader.sized(1);
  if (!username || !password || !reader.empty()) {
    return errc::bad_command;
  }
  to.fields.push_back({"username", std::string{*username}});
  to.fields.push_back({"password", fmt::format("{} bytes, left out", password->size())});
  return {};
}

error_code add_metadata(record& to, std::string_view data,
                        std::optional<zmtp::metadata>& announced) {
  auto parsed = zmtp::metadata::parse(data, zmtp::limits{});
  if (!parsed) {
    return parsed.error();
  }
  for (const auto& [name, value] : parsed->properties()) {
    to.fields.push_back({name, value});
  }
  announced = std::move(*parsed);
  return {};
}

error_code add_error(record& to, std::string_view data) {
  const auto parsed = zmtp::command::parse_error(data);
  if (!parsed) {
    return parsed.error();
  }
  to.fields.push_back({"reason", std::string{parsed->reason}});
  return {};
}

struct traffic_words {
  record& to;

  void operator()(const zmtp::command::subscribe& one) const { add("topic", one.topic); }
  void operator()(const zmtp::command::cancel& one) const { add("topic", one.topic); }
  void operator()(const zmtp::command::ping& one) const {
    to.fields.push_back({"ttl_ms", std::uint64_t{one.ttl} * 100});
    add("context", one.context);
  }
  void operator()(const zmtp::command::pong& one) const { add("context", one.context); }
  void operator()(const zmtp::command::error& one) const { add("reason", one.reason); }
  void operator()(const zmtp::command::unknown&) const {}

private:
  void add(const char* name, std::string_view text) const {
    to.fields.push_back({name, std::string{text}});
  }
};

}  // namespace

mechanism_kind mechanism_of(std::string_view name) {
  return name == "NULL"    ? mechanism_kind::null
         : name == "PLAIN" ? mechanism_kind::plain
         : name == "CURVE" ? mechanism_kind::curve
                           : mechanism_kind::other;
}

error_code add_handshake_command(record& to, mechanism_kind how,
                                 const zmtp::command::named& command,
                                 std::optional<zmtp::metadata>& announced) {
  const bool known = std::ranges::find(handshake_names, command.name) != handshake_names.end();
  to.name = known ? command.name : unknown_name;
  if (command.name == "ERROR") {
    return add_error(to, command.data);
  }
  if (how == mechanism_kind::plain && command.name == "HELLO") {
    return add_plain_hello(to, command.data);
  }
  const bool in_clear = how == mechanism_kind::null || how == mechanism_kind::plain;
  if (in_clear && (command.name == "READY" || command.name == "INITIATE")) {
    return add_metadata(to, command.data, announced);
  }
  add_size(to, command.data);
  return {};
}

error_code add_traffic_command(record& to, std::string_view body) {
  zmtp::limits wide;
  wide.topic_size = body.size();
  const auto named = zmtp::command::split(body);
  const auto parsed = zmtp::command::parse_traffic(body, wide);
  if (!named || !parsed) {
    return parsed ? named.error() : parsed.error();
  }
  if (std::holds_alternative<zmtp::command::unknown>(*parsed)) {
    // The peer has chosen the name. As a field it is in quotes, so it cannot look like another record.
    to.name = unknown_name;
    to.fields = {{"name", std::string{named->name}}};
    add_size(to, named->data);
    return {};
  }
  to.name = named->name;
  std::visit(traffic_words{to}, *parsed);
  return {};
}

}  // namespace zinc::dump
