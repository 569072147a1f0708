#include "zmtp/command.h"

#include "zmtp/frame.h"

#include <array>
#include <cassert>
#include <cstddef>

namespace zmtp::command {

namespace {

constexpr std::size_t name_size_width = 1;
constexpr std::size_t reason_size_width = 1;
constexpr std::size_t ttl_width = 2;
constexpr std::size_t max_size = 255;  // the largest value of a length byte

constexpr std::string_view misspelt_error = "^RROR";

constexpr char subscribe_byte = '\x01';
constexpr char cancel_byte = '\x00';

void put_frame_header(std::string& to, std::byte flags, std::size_t body_size) {
  std::array<std::byte, frame::max_header_size> header;
  const auto* end = frame::put_header(header.data(), flags, body_size);
  to.append(reinterpret_cast<const char*>(header.data()),
            static_cast<std::size_t>(end - header.data()));
}

void put_subscription(std::string& to, char first, std::string_view topic) {
  put_frame_header(to, std::byte{0}, 1 + topic.size());
  to.push_back(first);
  to.append(topic);
}

result<traffic> parse_ping(std::string_view data) noexcept {
  byte_reader reader{data};
  const auto ttl = reader.number(ttl_width);
  if (!ttl) {
    return errc::bad_ping;
  }
  return ping{static_cast<std::uint16_t>(*ttl), reader.rest()};
}

}  // namespace

result<named> split(std::string_view body) noexcept {
  byte_reader reader{body};
  if (const auto name = reader.sized(name_size_width)) {
    if (name->empty()) {
      return errc::bad_command;
    }
    return named{*name, reader.rest()};
  }
  // Checked after the regular form, because `^` (94) can also be the length of a name.
  if (body.starts_with(misspelt_error)) {
    return named{"ERROR", body.substr(misspelt_error.size())};
  }
  return errc::bad_command;
}

result<error> parse_error(std::string_view data) noexcept {
  byte_reader reader{data};
  const auto reason = reader.sized(reason_size_width);
  if (!reason || !reader.empty()) {
    return errc::bad_command;
  }
  return error{*reason};
}

result<traffic> parse_traffic(std::string_view body, const limits& limit) noexcept {
  const auto command = split(body);
  if (!command) {
    return command.error();
  }
  const auto [name, data] = *command;
  if (name == "SUBSCRIBE" || name == "CANCEL") {
    if (data.size() > limit.topic_size) {
      return errc::topic_too_long;
    }
    return name == "CANCEL" ? traffic{cancel{data}} : traffic{subscribe{data}};
  }
  if (name == "PING") {
    return parse_ping(data);
  }
  if (name == "PONG") {
    return pong{data};
  }
  if (name == "ERROR") {
    const auto parsed = parse_error(data);
    if (!parsed) {
      return parsed.error();
    }
    return *parsed;
  }
  return unknown{name};
}

std::variant<std::monostate, subscription> parse_subscription(std::string_view part) noexcept {
  if (part.empty() || (part.front() != subscribe_byte && part.front() != cancel_byte)) {
    return std::monostate{};
  }
  return subscription{part.front() == subscribe_byte, part.substr(1)};
}

void put(std::string& to, std::string_view name, std::string_view data) {
  assert(!name.empty() && name.size() <= max_size);
  put_frame_header(to, frame::command, name_size_width + name.size() + data.size());
  to.push_back(static_cast<char>(name.size()));
  to.append(name);
  to.append(data);
}

void put_ping(std::string& to, std::uint16_t ttl, std::string_view context) {
  std::string data{static_cast<char>(ttl >> 8), static_cast<char>(ttl)};
  data.append(context);
  put(to, "PING", data);
}

void put_pong(std::string& to, std::string_view context) { put(to, "PONG", context); }

void put_error(std::string& to, std::string_view reason) {
  reason = reason.substr(0, max_size);
  std::string data(1, static_cast<char>(reason.size()));
  data.append(reason);
  put(to, "ERROR", data);
}

void put_subscribe(std::string& to, std::string_view topic, std::uint8_t peer_minor) {
  if (peer_minor == 0) {
    put_subscription(to, subscribe_byte, topic);
  } else {
    put(to, "SUBSCRIBE", topic);
  }
}

void put_cancel(std::string& to, std::string_view topic, std::uint8_t peer_minor) {
  if (peer_minor == 0) {
    put_subscription(to, cancel_byte, topic);
  } else {
    put(to, "CANCEL", topic);
  }
}

}  // namespace zmtp::command
