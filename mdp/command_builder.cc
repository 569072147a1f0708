// The builder of commands.

#include "mdp/command.h"
#include "mdp/command_bytes.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace mdp {

namespace {

void push_key(zmtp::message& m, const keyed_attempt& attempt) {
  std::array<char, frame::key_size> bytes{};
  frame::key_prefix.copy(bytes.data(), frame::key_prefix.size());
  std::copy(attempt.key.begin(), attempt.key.end(), bytes.begin() + frame::key_prefix.size());
  for (std::size_t i = 0; i < sizeof attempt.number; ++i) {
    bytes[frame::number_at + i] = static_cast<char>(attempt.number >> (24 - 8 * i));
  }
  bytes[frame::may_begin_at] = attempt.may_begin ? 1 : 0;
  m.push_front({bytes.data(), bytes.size()});
}

void push_envelope(zmtp::message& m, std::string_view name, dialect how) {
  m.push_front(name);
  if (how != dialect::v02) {
    m.push_front({});
  }
}

void push_command(zmtp::message& m, char command) { m.push_front({&command, 1}); }

std::string_view client_header(dialect how) noexcept {
  return how == dialect::v01 ? frame::client_01 : frame::client_02;
}
std::string_view worker_header(dialect how) noexcept {
  return how == dialect::v01 ? frame::worker_01 : frame::worker_02;
}

zmtp::message make_bare(dialect how, char command) {
  zmtp::message m{std::string_view{&command, 1}};
  push_envelope(m, worker_header(how), how);
  return m;
}

}  // namespace

void push_client_request(zmtp::message& body, version v, std::string_view service,
                         const std::optional<keyed_attempt>& attempt,
                         std::optional<std::string_view> on_behalf_of) {
  body.push_front(service);
  if (attempt) {
    push_key(body, *attempt);
  }
  if (on_behalf_of) {
    body.push_front(std::string{frame::on_behalf_prefix}.append(*on_behalf_of));
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
  zmtp::message m{reason == nack_reason::refused ? frame::refused : frame::failed};
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
