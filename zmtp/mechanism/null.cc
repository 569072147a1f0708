#include "zmtp/mechanism/null.h"

#include "zmtp/command.h"
#include "zmtp/mechanism/handshake_command.h"

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
  command::put(output, "READY", encoded(own_));
}

result<mechanism::progress> null_mechanism::on_command(std::string_view body, std::string&) {
  const auto before = std::exchange(state_, state::failed);
  if (before == state::failed) {
    return errc::unexpected_command;
  }
  // ERROR may also follow READY, because the peer may start authentication only after it has
  // received READY.
  const auto command = read_handshake_command(body, limit_, error_reason_);
  if (!command) {
    return command.error();
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
