#include "zmtp/mechanism/null.h"

#include "zmtp/command.h"

#include <cassert>
#include <utility>

namespace zmtp {

null_mechanism::null_mechanism(metadata own, const limits& limit, ready when)
    : when_{when}, limit_{limit}, own_{std::move(own)} {}

void null_mechanism::start(std::string& output) {
  if (when_ == ready::at_once) {
    put_ready(output);
  }
}

void null_mechanism::put_ready(std::string& output) const {
  std::string properties;
  own_.encode(properties);
  command::put(output, "READY", properties);
}

result<mechanism::progress> null_mechanism::on_command(std::string_view body, std::string&) {
  const auto before = std::exchange(state_, state::failed);
  if (before == state::failed) {
    return errc::unexpected_command;
  }
  if (body.size() > limit_.handshake_command_size) {
    return errc::command_too_large;
  }
  const auto command = command::split(body);
  if (!command) {
    return command.error();
  }
  // ERROR may also follow READY, because the peer may start authentication only after it has
  // received READY.
  if (command->name == "ERROR") {
    const auto parsed = command::parse_error(command->data);
    if (!parsed) {
      return parsed.error();
    }
    error_reason_ = parsed->reason;
    return errc::refused_by_peer;
  }
  if (command->name != "READY" || before != state::waiting) {
    return errc::unexpected_command;
  }
  auto properties = metadata::parse(command->data, limit_);
  if (!properties) {
    return properties.error();
  }
  peer_ = std::move(*properties);
  state_ = state::authentication;
  return progress::authentication;
}

mechanism::progress null_mechanism::authenticated(std::string&) {
  assert(state_ == state::authentication);
  state_ = state::admission;
  return progress::admission;
}

mechanism::progress null_mechanism::admit(std::string& output) {
  assert(state_ == state::admission);
  state_ = state::done;
  if (when_ == ready::once_admitted) {
    put_ready(output);
  }
  return progress::done;
}

void null_mechanism::refuse(std::string_view reason, std::string& output) {
  assert(state_ == state::authentication || state_ == state::admission);
  state_ = state::failed;
  command::put_error(output, reason);
}

}  // namespace zmtp
