#include "zmtp/decoder.h"

namespace zmtp {

std::optional<decoder::found> decoder::look_closer(std::span<std::byte> rest) noexcept {
  rest[0] &= frame::more | frame::long_size | frame::command;
  if (!frame::has(rest[0], frame::command)) {
    return std::nullopt;
  }
  if (frame::has(rest[0], frame::more)) {
    return fail(errc::bad_frame_flags);
  }
  // libzmq writes SUBSCRIBE and CANCEL of 256 to 265 bytes with a long size but without the flag
  // for it. Since no command is empty, a size byte of 0 is the first byte of a long size.
  if (rest[1] == std::byte{0}) {
    rest[0] |= frame::long_size;
  }
  const auto header = frame::header_size(rest[0]);
  if (rest.size() < header) {
    return need(header);
  }
  const auto body = frame::declared_size(rest.data());
  if (body > command_limit_) {
    return fail(body >> 63 != 0 ? errc::bad_frame_size : errc::command_too_large);
  }
  if (commands_ >= limit_->message_commands) {
    return fail(errc::too_many_commands);
  }
  const auto whole = header + static_cast<std::size_t>(body);
  if (rest.size() < whole) {
    return need(whole);
  }
  commands_ += parts_ != 0 ? 1U : 0U;
  command_size_ = whole;
  return found::command;
}

decoder::found decoder::over_limit(std::uint64_t body) noexcept {
  if (body > limit_->frame_size) {
    return fail(body >> 63 != 0 ? errc::bad_frame_size : errc::frame_too_large);
  }
  return fail(parts_ >= limit_->message_parts ? errc::too_many_parts : errc::message_too_large);
}

}  // namespace zmtp
