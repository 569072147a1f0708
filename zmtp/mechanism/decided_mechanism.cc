#include "zmtp/mechanism/decided_mechanism.h"

#include <cassert>
#include <utility>

namespace zmtp {

decided_mechanism::decided_mechanism(metadata own, const limits& limit)
    : limit_{limit}, own_{std::move(own)} {}

// ERROR may come in every state, because a peer may start authentication only after it has received
// READY.
result<mechanism::progress> decided_mechanism::on_command(std::string_view body,
                                                          std::string& output) {
  const auto before = std::exchange(state_, state::failed);
  if (before == state::failed) {
    return errc::unexpected_command;
  }
  if (body.size() > limit_.handshake_command_size) {
    return errc::command_too_large;
  }
  const auto received = command::split(body);
  if (!received) {
    return received.error();
  }
  if (received->name != "ERROR") {
    return on_named(before, *received, output);
  }
  const auto parsed = command::parse_error(received->data);
  if (!parsed) {
    return parsed.error();
  }
  error_reason_ = parsed->reason;
  return errc::refused_by_peer;
}

mechanism::progress decided_mechanism::expect(state next) {
  state_ = next;
  switch (next) {
    case state::authentication: return progress::authentication;
    case state::admission: return progress::admission;
    case state::done: return progress::done;
    default: return progress::more;
  }
}

result<mechanism::progress> decided_mechanism::take_metadata(std::string_view bytes, state next) {
  auto properties = metadata::parse(bytes, limit_);
  if (!properties) {
    return properties.error();
  }
  peer_ = std::move(*properties);
  return expect(next);
}

mechanism::progress decided_mechanism::authenticated(std::string&) {
  assert(state_ == state::authentication);
  return expect(state::admission);
}

mechanism::progress decided_mechanism::admit(std::string& output) {
  assert(state_ == state::admission);
  put_admitted(output);
  return expect(state::done);
}

void decided_mechanism::refuse(std::string_view reason, std::string& output) {
  assert(state_ == state::authentication || state_ == state::admission);
  state_ = state::failed;
  command::put_error(output, reason);
}

std::string decided_mechanism::own_metadata() const {
  std::string bytes;
  own_.encode(bytes);
  return bytes;
}

}  // namespace zmtp
