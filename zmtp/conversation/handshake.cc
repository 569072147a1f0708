#include "zmtp/conversation/handshake.h"

#include "zmtp/greeting.h"

#include <algorithm>
#include <utility>

namespace zmtp {

namespace {

constexpr std::size_t max_routing_id = 255;  // RFC 37: the length has one byte

}  // namespace

handshake::handshake(socket_type own_type, std::unique_ptr<mechanism> security, time_point deadline,
                     std::string& output)
    : own_type_{own_type}, mechanism_{std::move(security)}, deadline_{deadline} {
  // Send the whole greeting at once. A peer that would downgrade is rejected anyway.
  const auto own = greeting::encode(mechanism_->name(), mechanism_->as_server());
  output.append(reinterpret_cast<const char*>(own.data()), own.size());
}

result<std::size_t> handshake::on_greeting(std::span<const std::byte> received,
                                           std::string& output) {
  const auto seen = received.first(std::min(received.size(), greeting::size));
  if (const auto fault = greeting::check(seen, mechanism_->name())) {
    return fault;
  }
  if (seen.size() < greeting::size) {
    return std::size_t{0};
  }
  peer_minor_ = greeting::peer_version(seen).minor;
  stage_ = stage::commands;
  mechanism_->start(output);
  return greeting::size;
}

result<handshake::stage> handshake::on_command(std::string_view body, std::string& output) {
  const auto progress = mechanism_->on_command(body, output);
  return progress ? on_progress(*progress) : progress.error();
}

result<handshake::stage> handshake::authenticated(std::string& output) {
  return on_progress(mechanism_->authenticated(output));
}

result<handshake::stage> handshake::admit(std::string& output) {
  return on_progress(mechanism_->admit(output));
}

result<handshake::stage> handshake::on_progress(mechanism::progress progress) {
  switch (progress) {
    case mechanism::progress::more: return stage_ = stage::commands;
    case mechanism::progress::done: return stage_ = stage::done;
    case mechanism::progress::authentication: stage_ = stage::authentication; break;
    case mechanism::progress::admission: stage_ = stage::admission; break;
  }
  // A peer of a wrong type is rejected before the authenticator is asked.
  if (const auto fault = check_metadata()) {
    return fault;
  }
  return stage_;
}

// Before the mechanism has received metadata, they are empty and valid.
error_code handshake::check_metadata() {
  // A missing Socket-Type is accepted, as in libzmq.
  if (const auto* name = peer_metadata().find("Socket-Type")) {
    peer_type_ = parse_socket_type(*name);
    if (!peer_type_ || !compatible(own_type_, *peer_type_)) {
      return errc::bad_socket_type;
    }
  }
  return peer_routing_id().size() > max_routing_id ? make_error_code(errc::routing_id_too_long)
                                                   : error_code{};
}

const metadata& handshake::peer_metadata() const noexcept {
  static const metadata none;
  return mechanism_ ? mechanism_->peer_metadata() : none;
}

std::string_view handshake::peer_routing_id() const noexcept {
  const auto* id = peer_metadata().find("Identity");
  return id != nullptr ? std::string_view{*id} : std::string_view{};
}

}  // namespace zmtp
