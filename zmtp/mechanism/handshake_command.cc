#include "zmtp/mechanism/handshake_command.h"

namespace zmtp {

result<command::named> read_handshake_command(std::string_view body, const limits& limit,
                                              std::string& error_reason) {
  if (body.size() > limit.handshake_command_size) {
    return errc::command_too_large;
  }
  const auto command = command::split(body);
  if (!command || command->name != "ERROR") {
    return command;
  }
  const auto parsed = command::parse_error(command->data);
  if (!parsed) {
    return parsed.error();
  }
  error_reason = parsed->reason;
  return errc::refused_by_peer;
}

std::string encoded(const metadata& properties) {
  std::string bytes;
  properties.encode(bytes);
  return bytes;
}

}  // namespace zmtp
