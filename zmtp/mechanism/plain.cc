#include "zmtp/mechanism/plain.h"

#include "zmtp/frame.h"
#include "zmtp/mechanism/handshake_command.h"

#include <cassert>
#include <cstddef>
#include <utility>

namespace zmtp {

namespace {

constexpr std::size_t field_size_width = 1;

void put_field(std::string& to, const std::string& field) {
  to.push_back(static_cast<char>(field.size()));
  to.append(field);
}

}  // namespace

plain_client_mechanism::plain_client_mechanism(const plain_client_security& security, metadata own,
                                               const limits& limit)
    : limit_{limit}, security_{security}, own_{std::move(own)} {}

void plain_client_mechanism::start(std::string& output) {
  std::string fields;
  put_field(fields, security_.username);
  put_field(fields, security_.password);
  command::put(output, "HELLO", fields);
  security_ = {};
}

result<mechanism::progress> plain_client_mechanism::on_command(std::string_view body,
                                                               std::string& output) {
  const auto before = std::exchange(state_, state::failed);
  if (before == state::failed) {
    return errc::unexpected_command;
  }
  const auto command = read_handshake_command(body, limit_, error_reason_);
  if (!command) {
    return command.error();
  }
  if (before == state::welcome && command->name == "WELCOME") {
    if (!command->data.empty()) {
      return errc::bad_command;
    }
    command::put(output, "INITIATE", encoded(own_));
    state_ = state::ready;
    return progress::more;
  }
  if (before == state::ready && command->name == "READY") {
    auto properties = metadata::parse(command->data, limit_);
    if (!properties) {
      return properties.error();
    }
    peer_ = std::move(*properties);
    state_ = state::authentication;
    return progress::authentication;
  }
  return errc::unexpected_command;
}

mechanism::progress plain_client_mechanism::authenticated(std::string&) {
  assert(state_ == state::authentication);
  state_ = state::admission;
  return progress::admission;
}

mechanism::progress plain_client_mechanism::admit(std::string&) {
  assert(state_ == state::admission);
  state_ = state::done;
  return progress::done;
}

void plain_client_mechanism::refuse(std::string_view reason, std::string& output) {
  assert(state_ == state::authentication || state_ == state::admission);
  state_ = state::failed;
  command::put_error(output, reason);
}

plain_server_mechanism::plain_server_mechanism(metadata own, const limits& limit)
    : limit_{limit}, own_{std::move(own)} {}

void plain_server_mechanism::start(std::string&) {}

result<mechanism::progress> plain_server_mechanism::on_command(std::string_view body,
                                                               std::string&) {
  const auto before = std::exchange(state_, state::failed);
  if (before == state::failed) {
    return errc::unexpected_command;
  }
  const auto command = read_handshake_command(body, limit_, error_reason_);
  if (!command) {
    return command.error();
  }
  if (before == state::hello && command->name == "HELLO") {
    return on_hello(command->data);
  }
  if (before == state::initiate && command->name == "INITIATE") {
    return on_initiate(command->data);
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
  state_ = state::authentication;
  return progress::authentication;
}

result<mechanism::progress> plain_server_mechanism::on_initiate(std::string_view data) {
  auto properties = metadata::parse(data, limit_);
  if (!properties) {
    return properties.error();
  }
  peer_ = std::move(*properties);
  state_ = state::admission;
  return progress::admission;
}

mechanism::progress plain_server_mechanism::authenticated(std::string& output) {
  assert(state_ == state::authentication);
  state_ = state::initiate;
  shown_.password.clear();
  command::put(output, "WELCOME", {});
  return progress::more;
}

mechanism::progress plain_server_mechanism::admit(std::string& output) {
  assert(state_ == state::admission);
  state_ = state::done;
  command::put(output, "READY", encoded(own_));
  return progress::done;
}

void plain_server_mechanism::refuse(std::string_view reason, std::string& output) {
  assert(state_ == state::authentication || state_ == state::admission);
  state_ = state::failed;
  command::put_error(output, reason);
}

}  // namespace zmtp
