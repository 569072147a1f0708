#include "zmtp/mechanism/plain.h"

#include "zmtp/command.h"
#include "zmtp/frame.h"

#include <cassert>
#include <cstddef>
#include <cstring>
#include <utility>

namespace zmtp {

namespace {

constexpr std::size_t field_size_width = 1;

void put_field(std::string& to, const std::string& field) {
  to.push_back(static_cast<char>(field.size()));
  to.append(field);
}

void wipe(std::string& secret) noexcept {
  ::explicit_bzero(secret.data(), secret.size());
  secret.clear();
}

}  // namespace

plain_client_mechanism::plain_client_mechanism(const plain_client_security& security, metadata own,
                                               const limits& limit)
    : decided_mechanism{std::move(own), limit}, security_{security} {}

void plain_client_mechanism::start(std::string& output) {
  std::string fields;
  put_field(fields, security_.username);
  put_field(fields, security_.password);
  command::put(output, "HELLO", fields);
  wipe(fields);
  wipe(security_.password);
  security_ = {};
}

result<mechanism::progress> plain_client_mechanism::on_named(state at,
                                                             const command::named& received,
                                                             std::string& output) {
  if (at == state::first && received.name == "WELCOME") {
    if (!received.data.empty()) {
      return errc::bad_command;
    }
    command::put(output, "INITIATE", own_metadata());
    return expect(state::second);
  }
  if (at == state::second && received.name == "READY") {
    return take_metadata(received.data);
  }
  return errc::unexpected_command;
}

plain_server_mechanism::plain_server_mechanism(metadata own, const limits& limit)
    : decided_mechanism{std::move(own), limit} {}

result<mechanism::progress> plain_server_mechanism::on_named(state at,
                                                             const command::named& received,
                                                             std::string&) {
  if (at == state::first && received.name == "HELLO") {
    return on_hello(received.data);
  }
  if (at == state::second && received.name == "INITIATE") {
    return take_metadata(received.data, state::admission);
  }
  return errc::unexpected_command;
}

result<mechanism::progress> plain_server_mechanism::on_hello(std::string_view data) {
  byte_reader fields{data};
  const auto username = fields.sized(field_size_width);
  const auto password = fields.sized(field_size_width);
  if (!username || !password || !fields.empty()) {
    return errc::bad_command;
  }
  shown_ = {.username = std::string{*username}, .password = std::string{*password}};
  return expect(state::authentication);
}

mechanism::progress plain_server_mechanism::authenticated(std::string& output) {
  assert(is_next(state::authentication));
  wipe(shown_.password);
  command::put(output, "WELCOME", {});
  return expect(state::second);
}

void plain_server_mechanism::put_admitted(std::string& output) {
  command::put(output, "READY", own_metadata());
}

}  // namespace zmtp
