// The parser of commands.

#include "mdp/command.h"
#include "mdp/command_bytes.h"

#include <cstdint>
#include <utility>

namespace mdp {

namespace {

constexpr errc none{};

enum class role : std::uint8_t { client, worker };

struct header {
  role from;
  dialect how;
};

parsed<header> take_header(zmtp::message& m) {
  if (m.size() > max_frames) {
    return errc::too_many_frames;
  }
  const bool delimited = !m.empty() && m.front().empty();
  if (delimited) {
    m.pop_front();
  }
  if (m.empty()) {
    return errc::no_header;
  }
  const auto name = m.front();
  header found{};
  if (name == frame::client_02 || name == frame::worker_02) {
    found.how = delimited ? dialect::v02_delimited : dialect::v02;
    found.from = name == frame::client_02 ? role::client : role::worker;
  } else if (name == frame::client_01 || name == frame::worker_01) {
    if (!delimited) {
      return errc::not_delimited;
    }
    found.how = dialect::v01;
    found.from = name == frame::client_01 ? role::client : role::worker;
  } else {
    return errc::unknown_header;
  }
  m.pop_front();
  return found;
}

parsed<char> take_command(zmtp::message& m) {
  if (m.empty()) {
    return errc::no_command;
  }
  const auto command = m.front();
  if (command.size() != 1) {
    return errc::unknown_command;
  }
  const char found = command.front();
  m.pop_front();
  return found;
}

errc check_service_frame(const zmtp::message& m) noexcept {
  if (m.empty() || m.front().empty()) {
    return errc::no_service;
  }
  return m.front().size() > max_service_size ? errc::service_too_long : none;
}

// Format: [service][body+]
errc check_service_and_body(const zmtp::message& m) noexcept {
  const auto fault = check_service_frame(m);
  return fault != none ? fault : m.size() < 2 ? errc::no_body : none;
}

// Format: [address][][body+], with one address and not a stack of them.
errc check_address_and_body(const zmtp::message& m) noexcept {
  if (m.empty() || m.front().empty()) {
    return errc::no_address;
  }
  if (m.size() < 2 || !m[1].empty()) {
    return errc::address_not_delimited;
  }
  return m.size() < 3 ? errc::no_body : none;
}

template <class Command>
parsed<broker_input> bare(const zmtp::message& m, dialect how) {
  if (!m.empty()) {
    return errc::surplus_frames;
  }
  return broker_input{Command{how}};
}

std::optional<keyed_attempt> parse_key(std::string_view bytes) noexcept {
  if (bytes.size() != frame::key_size || !bytes.starts_with(frame::key_prefix)) {
    return std::nullopt;
  }
  keyed_attempt parsed;
  bytes.copy(parsed.key.data(), parsed.key.size(), frame::key_prefix.size());
  parsed.number = 0;
  for (const char byte : bytes.substr(frame::number_at, sizeof parsed.number)) {
    parsed.number = parsed.number << 8 | static_cast<unsigned char>(byte);
  }
  parsed.may_begin = bytes[frame::may_begin_at] != 0;
  return parsed;
}

std::optional<std::string> take_on_behalf_of(zmtp::message& m) {
  if (m.empty() || !m.front().starts_with(frame::on_behalf_prefix)) {
    return std::nullopt;
  }
  std::optional<std::string> principal{m.front().substr(frame::on_behalf_prefix.size())};
  m.pop_front();
  return principal;
}

parsed<broker_input> parse_client(zmtp::message& m, dialect how) {
  if (how != dialect::v01) {
    const auto command = take_command(m);
    if (!command) {
      return command.error();
    }
    if (*command == byte::client_partial || *command == byte::client_final) {
      return errc::misdirected_command;
    }
    if (*command != byte::client_request) {
      return errc::unknown_command;
    }
  }
  auto on_behalf_of = take_on_behalf_of(m);
  const auto attempt = m.empty() ? std::nullopt : parse_key(m.front());
  if (attempt) {
    m.pop_front();
  }
  if (const auto fault = check_service_and_body(m); fault != none) {
    return fault;
  }
  return broker_input{client_request{how, m.front(), attempt, std::move(on_behalf_of)}};
}

parsed<broker_input> parse_ready(const zmtp::message& m, dialect how) {
  if (const auto fault = check_service_frame(m); fault != none) {
    return fault;
  }
  if (m.size() > 1) {
    return errc::surplus_frames;
  }
  return broker_input{worker_ready{how, m.front()}};
}

parsed<broker_input> parse_reply(const zmtp::message& m, dialect how, bool final) {
  if (const auto fault = check_address_and_body(m); fault != none) {
    return fault;
  }
  return broker_input{worker_reply{how, final, m.front()}};
}

parsed<broker_input> parse_nack(const zmtp::message& m, dialect how) {
  if (const auto fault = check_address_and_body(m); fault != none) {
    return fault;
  }
  if (m.size() > 3) {
    return errc::surplus_frames;
  }
  if (m[2] != frame::refused && m[2] != frame::failed) {
    return errc::unknown_reason;
  }
  const auto reason = m[2] == frame::refused ? nack_reason::refused : nack_reason::failed;
  return broker_input{worker_nack{how, reason, m.front()}};
}

parsed<broker_input> parse_worker_01(zmtp::message& m, char command) {
  switch (command) {
    case byte::ready: return parse_ready(m, dialect::v01);
    case byte::request: return errc::misdirected_command;
    case byte::reply_01: return parse_reply(m, dialect::v01, true);
    case byte::nack: return parse_nack(m, dialect::v01);
    case byte::drain: return bare<worker_drain>(m, dialect::v01);
    case byte::heartbeat_01: return bare<worker_heartbeat>(m, dialect::v01);
    case byte::disconnect_01: return bare<worker_disconnect>(m, dialect::v01);
  }
  return errc::unknown_command;
}

parsed<broker_input> parse_worker_02(zmtp::message& m, char command, dialect how) {
  switch (command) {
    case byte::ready: return parse_ready(m, how);
    case byte::request: return errc::misdirected_command;
    case byte::partial: return parse_reply(m, how, false);
    case byte::final: return parse_reply(m, how, true);
    case byte::nack: return parse_nack(m, how);
    case byte::drain: return bare<worker_drain>(m, how);
    case byte::heartbeat: return bare<worker_heartbeat>(m, how);
    case byte::disconnect: return bare<worker_disconnect>(m, how);
  }
  return errc::unknown_command;
}

// Takes the header of the one dialect that a worker or client uses.
errc take_header(zmtp::message& m, role to, dialect how) {
  const auto found = take_header(m);
  if (!found) {
    return found.error();
  }
  return found->from != to || found->how != how ? errc::unknown_header : none;
}

}  // namespace

parsed<broker_input> parse_for_broker(zmtp::message& m) {
  const auto found = take_header(m);
  if (!found) {
    return found.error();
  }
  if (found->from == role::client) {
    return parse_client(m, found->how);
  }
  const auto command = take_command(m);
  if (!command) {
    return command.error();
  }
  return found->how == dialect::v01 ? parse_worker_01(m, *command)
                                    : parse_worker_02(m, *command, found->how);
}

parsed<worker_input> parse_for_worker(zmtp::message& m, dialect how, bool with_principal) {
  if (const auto fault = take_header(m, role::worker, how); fault != none) {
    return fault;
  }
  const auto command = take_command(m);
  if (!command) {
    return command.error();
  }
  if (*command == byte::request) {
    std::optional<std::string> principal;
    if (with_principal && !m.empty()) {
      principal.emplace(m.front());
      m.pop_front();
    }
    if (const auto fault = check_address_and_body(m); fault != none) {
      return fault;
    }
    return worker_input{broker_request{m.front(), std::move(principal)}};
  }
  const bool old = how == dialect::v01;
  const bool is_heartbeat = *command == (old ? byte::heartbeat_01 : byte::heartbeat);
  const bool is_disconnect = *command == (old ? byte::disconnect_01 : byte::disconnect);
  if (!is_heartbeat && !is_disconnect) {
    const bool known = *command >= byte::ready && *command < byte::heartbeat;
    return known ? errc::misdirected_command : errc::unknown_command;
  }
  if (!m.empty()) {
    return errc::surplus_frames;
  }
  return is_heartbeat ? worker_input{broker_heartbeat{}} : worker_input{broker_disconnect{}};
}

parsed<broker_reply> parse_for_client(zmtp::message& m, version v) {
  if (const auto fault = take_header(m, role::client, dialect_of(v)); fault != none) {
    return fault;
  }
  bool final = true;
  if (v == version::v02) {
    const auto command = take_command(m);
    if (!command) {
      return command.error();
    }
    if (*command == byte::client_request) {
      return errc::misdirected_command;
    }
    if (*command != byte::client_partial && *command != byte::client_final) {
      return errc::unknown_command;
    }
    final = *command == byte::client_final;
  }
  if (const auto fault = check_service_and_body(m); fault != none) {
    return fault;
  }
  return broker_reply{final, m.front()};
}

}  // namespace mdp
