#include "mdp/command.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace mdp {

namespace {

using namespace std::string_view_literals;

constexpr auto client_01 = "MDPC01"sv;
constexpr auto worker_01 = "MDPW01"sv;
constexpr auto client_02 = "MDPC02"sv;
constexpr auto worker_02 = "MDPW02"sv;

// The command bytes of MDP/Worker and MDP/Client.
namespace byte {
constexpr char ready = 1;
constexpr char request = 2;
constexpr char reply_01 = 3;
constexpr char heartbeat_01 = 4;
constexpr char disconnect_01 = 5;
constexpr char partial = 3;
constexpr char final = 4;
constexpr char heartbeat = 5;
constexpr char disconnect = 6;
// Extensions, with numbers far from those that a later MDP could use.
constexpr char nack = 0x10;
constexpr char drain = 0x11;
constexpr char client_request = 1;
constexpr char client_partial = 2;
constexpr char client_final = 3;
}  // namespace byte

constexpr errc none{};

// The reasons of a NACK.
constexpr auto refused = "refused"sv;
constexpr auto failed = "failed"sv;

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
  if (name == client_02 || name == worker_02) {
    found.how = delimited ? dialect::v02_delimited : dialect::v02;
    found.from = name == client_02 ? role::client : role::worker;
  } else if (name == client_01 || name == worker_01) {
    if (!delimited) {
      return errc::not_delimited;
    }
    found.how = dialect::v01;
    found.from = name == client_01 ? role::client : role::worker;
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

errc check_named(const zmtp::message& m) noexcept {
  if (m.empty() || m.front().empty()) {
    return errc::no_service;
  }
  return m.front().size() > max_service_size ? errc::service_too_long : none;
}

// Format: [service][body+]
errc check_service_and_body(const zmtp::message& m) noexcept {
  const auto fault = check_named(m);
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

// The key frame: `mmi.key:`, the key, the number of the attempt in network order, and whether the
// request may start. No service has such a name, because the broker reserves names that begin with
// `mmi.`.
constexpr auto key_prefix = "mmi.key:"sv;
constexpr auto on_behalf_prefix = "mmi.for:"sv;
constexpr std::size_t number_at = key_prefix.size() + std::tuple_size_v<request_key>;
constexpr std::size_t may_begin_at = number_at + sizeof(std::uint32_t);
constexpr std::size_t key_frame_size = may_begin_at + 1;

std::optional<keyed_attempt> parse_key(std::string_view frame) noexcept {
  if (frame.size() != key_frame_size || !frame.starts_with(key_prefix)) {
    return std::nullopt;
  }
  keyed_attempt parsed;
  frame.copy(parsed.key.data(), parsed.key.size(), key_prefix.size());
  parsed.number = 0;
  for (const char byte : frame.substr(number_at, sizeof parsed.number)) {
    parsed.number = parsed.number << 8 | static_cast<unsigned char>(byte);
  }
  parsed.may_begin = frame[may_begin_at] != 0;
  return parsed;
}

void push_key(zmtp::message& m, const keyed_attempt& attempt) {
  std::array<char, key_frame_size> frame{};
  key_prefix.copy(frame.data(), key_prefix.size());
  std::copy(attempt.key.begin(), attempt.key.end(), frame.begin() + key_prefix.size());
  for (std::size_t i = 0; i < sizeof attempt.number; ++i) {
    frame[number_at + i] = static_cast<char>(attempt.number >> (24 - 8 * i));
  }
  frame[may_begin_at] = attempt.may_begin ? 1 : 0;
  m.push_front({frame.data(), frame.size()});
}

std::optional<std::string> take_on_behalf_of(zmtp::message& m) {
  if (m.empty() || !m.front().starts_with(on_behalf_prefix)) {
    return std::nullopt;
  }
  std::optional<std::string> principal{m.front().substr(on_behalf_prefix.size())};
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
  if (const auto fault = check_named(m); fault != none) {
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
  if (m[2] != refused && m[2] != failed) {
    return errc::unknown_reason;
  }
  const auto reason = m[2] == refused ? nack_reason::refused : nack_reason::failed;
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

void push_envelope(zmtp::message& m, std::string_view name, dialect how) {
  m.push_front(name);
  if (how != dialect::v02) {
    m.push_front({});
  }
}

void push_command(zmtp::message& m, char command) { m.push_front({&command, 1}); }

std::string_view client_header(dialect how) noexcept {
  return how == dialect::v01 ? client_01 : client_02;
}
std::string_view worker_header(dialect how) noexcept {
  return how == dialect::v01 ? worker_01 : worker_02;
}

zmtp::message make_bare(dialect how, char command) {
  zmtp::message m{std::string_view{&command, 1}};
  push_envelope(m, worker_header(how), how);
  return m;
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

void push_client_request(zmtp::message& body, version v, std::string_view service,
                         const std::optional<keyed_attempt>& attempt,
                         std::optional<std::string_view> on_behalf_of) {
  body.push_front(service);
  if (attempt) {
    push_key(body, *attempt);
  }
  if (on_behalf_of) {
    body.push_front(std::string{on_behalf_prefix}.append(*on_behalf_of));
  }
  if (v == version::v02) {
    push_command(body, byte::client_request);
  }
  push_envelope(body, client_header(dialect_of(v)), dialect_of(v));
}

void push_client_reply(zmtp::message& body, dialect how, bool final, std::string_view service) {
  body.push_front(service);
  if (how != dialect::v01) {
    push_command(body, final ? byte::client_final : byte::client_partial);
  }
  push_envelope(body, client_header(how), how);
}

void push_worker_request(zmtp::message& body, dialect how, std::string_view address,
                         std::optional<std::string_view> principal) {
  body.push_front({});
  body.push_front(address);
  if (principal) {
    body.push_front(*principal);
  }
  push_command(body, byte::request);
  push_envelope(body, worker_header(how), how);
}

void push_worker_reply(zmtp::message& body, version v, bool final, std::string_view address) {
  body.push_front({});
  body.push_front(address);
  const char command_02 = final ? byte::final : byte::partial;
  push_command(body, v == version::v01 ? byte::reply_01 : command_02);
  push_envelope(body, worker_header(dialect_of(v)), dialect_of(v));
}

zmtp::message make_ready(version v, std::string_view service) {
  zmtp::message m{service};
  push_command(m, byte::ready);
  push_envelope(m, worker_header(dialect_of(v)), dialect_of(v));
  return m;
}

zmtp::message make_nack(version v, nack_reason reason, std::string_view address) {
  zmtp::message m{reason == nack_reason::refused ? refused : failed};
  m.push_front({});
  m.push_front(address);
  push_command(m, byte::nack);
  push_envelope(m, worker_header(dialect_of(v)), dialect_of(v));
  return m;
}

zmtp::message make_drain(version v) { return make_bare(dialect_of(v), byte::drain); }

zmtp::message make_heartbeat(dialect how) {
  return make_bare(how, how == dialect::v01 ? byte::heartbeat_01 : byte::heartbeat);
}

zmtp::message make_disconnect(dialect how) {
  return make_bare(how, how == dialect::v01 ? byte::disconnect_01 : byte::disconnect);
}

}  // namespace mdp
