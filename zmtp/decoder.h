#pragma once
// Finds whole messages and commands in octets as they arrive, in place (RFC 37 "Framing").

#include "zmtp/error.h"
#include "zmtp/frame.h"
#include "zmtp/options.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace zmtp {

// Keeps no bytes. The caller holds them in one piece: from the start of the message in progress, or from
// behind the last command in it. The decoder remembers how far it has looked, and looks at no byte twice.
class decoder {
public:
  enum class found {
    more,     // the bytes end before the message or command does; needed() says how far
    message,  // the first size() bytes are, or end, a message of parts() parts
    command,  // at size() there is a command frame of command_size() bytes
    fault,    // fault() says which; the connection cannot go on
  };

  // `limit` is kept by reference.
  explicit decoder(const limits& limit) noexcept
      : limit_{&limit}, command_limit_{limit.handshake_command_size} {}

  // Looks at `octets`, which start where the message in progress does, or behind the command that was
  // found last. They hold at least the bytes of the last look that were not taken. Clears reserved flag
  // bits, so that a message can be passed on as it is, and gives a command whose size is a long one the
  // flag that libzmq leaves out.
  // After `message` or `command` the caller says message_taken() or command_taken().
  // Faults: errc::bad_frame_flags, bad_frame_size, frame_too_large, message_too_large,
  // too_many_parts, command_too_large, too_many_commands.
  [[nodiscard]] found look(std::span<std::byte> octets) noexcept {
    for (;;) {
      const auto rest = octets.subspan(size_);
      if (rest.size() < 2) {
        return need(2);
      }
      if ((rest[0] & ~(frame::more | frame::long_size)) != std::byte{0}) [[unlikely]] {
        if (const auto other = look_closer(rest)) {
          return *other;
        }
      }
      const auto header = frame::header_size(rest[0]);
      if (rest.size() < header) {
        return need(header);
      }
      const auto body = frame::declared_size(rest.data());
      if (body > limit_->frame_size || before_ + size_ + header + body > limit_->message_size ||
          parts_ >= limit_->message_parts) [[unlikely]] {
        return over_limit(body);
      }
      const auto whole = header + static_cast<std::size_t>(body);
      if (rest.size() < whole) {
        return need(whole);
      }
      size_ += whole;
      ++parts_;
      if (!frame::has(rest[0], frame::more)) {
        return found::message;
      }
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t parts() const noexcept { return parts_; }
  [[nodiscard]] std::size_t command_size() const noexcept { return command_size_; }
  [[nodiscard]] error_code fault() const noexcept { return fault_; }
  // After `more`: the bytes from the start of what was looked at that the frame in progress ends at. The
  // peer says so: not to be allocated on trust.
  [[nodiscard]] std::size_t needed() const noexcept { return needed_; }

  void message_taken() noexcept { before_ = size_ = parts_ = commands_ = 0; }
  // The next look begins behind the command. It may have stood between the parts of a message (libzmq
  // sends PING so), which then goes on there.
  void command_taken() noexcept {
    before_ += size_;
    size_ = command_size_ = 0;
  }

  // Commands have the limit of traffic from now on.
  void handshake_done() noexcept { command_limit_ = limit_->command_size; }

private:
  [[nodiscard]] found need(std::size_t octets) noexcept {
    needed_ = size_ + octets;
    return found::more;
  }
  [[nodiscard]] found fail(errc fault) noexcept {
    fault_ = fault;
    return found::fault;
  }
  // A frame with more flags than MORE: nothing if it is a part all the same, with its header whole.
  [[nodiscard]] std::optional<found> look_closer(std::span<std::byte> rest) noexcept;
  [[nodiscard]] found over_limit(std::uint64_t body) noexcept;

  const limits* limit_;
  std::size_t command_limit_;
  std::size_t before_ = 0;    // size of the message's frames in front of its last command
  std::size_t size_ = 0;      // size of its whole frames behind that command
  std::size_t parts_ = 0;     // number of all these frames
  std::size_t commands_ = 0;  // number of commands between them
  std::size_t command_size_ = 0;
  std::size_t needed_ = 0;
  error_code fault_;
};

}  // namespace zmtp
