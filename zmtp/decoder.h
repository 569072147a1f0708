#pragma once
// Finds whole messages and commands in received bytes, without copying (RFC 37 "Framing").

#include "zmtp/error.h"
#include "zmtp/frame.h"
#include "zmtp/options.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace zmtp {

// The decoder does not own any bytes. The caller keeps them contiguous, from the start of the
// message in progress or from the end of the last command inside that message. The decoder
// remembers its position and inspects each header once.
class decoder {
public:
  enum class found {
    more,     // more bytes are needed; see needed()
    message,  // the first size() bytes complete messages() messages
    command,  // a command frame of command_size() bytes starts at size()
    fault,    // a violation, see fault(); the connection must be closed
  };

  // Keeps a reference to `limit`.
  explicit decoder(const limits& limit) noexcept
      : limit_{&limit}, command_limit_{limit.handshake_command_size} {}

  // Decodes `bytes`, which start at the message in progress, or after the command that was found
  // last. The span must contain all bytes of the previous call that the caller has not taken. Finds
  // as many messages at once as there are before a command, a fault or a partial message, until
  // there are `most.messages`, or `most.bytes` bytes or more.
  // Changes `bytes` in two cases. Clears reserved flag bits, so that the caller can forward the
  // message unchanged. Sets the long-size flag of a command if libzmq has omitted the flag.
  // After `message` or `command`, the caller must call messages_taken() or command_taken().
  // Faults: errc::bad_frame_flags, bad_frame_size, frame_too_large, message_too_large,
  // too_many_parts, command_too_large, too_many_commands.
  [[nodiscard]] found look(std::span<std::byte> bytes,
                           frame::cut most = {.bytes = 1, .messages = 1}) noexcept {
    for (;;) {
      if (parts_ == 0 && before_ == 0 && skip_short_parts(bytes, most)) {
        return found::message;
      }
      const auto rest = bytes.subspan(whole_ + size_);
      if (rest.size() < 2) {
        return need(2);
      }
      if ((rest[0] & ~(frame::more | frame::long_size)) != std::byte{0}) [[unlikely]] {
        if (messages_ != 0) {
          return found::message;
        }
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
        return messages_ != 0 ? found::message : over_limit(body);
      }
      const auto whole = header + static_cast<std::size_t>(body);
      if (rest.size() < whole) {
        return need(whole);
      }
      size_ += whole;
      ++parts_;
      if (!frame::has(rest[0], frame::more)) {
        whole_ += size_;
        ++messages_;
        last_parts_ = parts_;
        // The parts before a command are not contiguous with further messages.
        const bool interrupted = before_ != 0;
        before_ = size_ = parts_ = commands_ = 0;
        if (interrupted || messages_ >= most.messages || whole_ >= most.bytes) {
          return found::message;
        }
      }
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return messages_ != 0 ? whole_ : size_; }
  [[nodiscard]] std::size_t messages() const noexcept { return messages_; }
  // Returns the whole parts of the message in progress. After `message`: of the last whole message.
  [[nodiscard]] std::size_t parts() const noexcept { return messages_ != 0 ? last_parts_ : parts_; }
  [[nodiscard]] std::size_t command_size() const noexcept { return command_size_; }
  [[nodiscard]] error_code fault() const noexcept { return fault_; }
  // After `more`: the size, from the start of the span, at which the current frame ends. The peer
  // declares this size, so the caller must not allocate it in advance.
  [[nodiscard]] std::size_t needed() const noexcept { return needed_; }

  // The next call to look() starts after the messages.
  void messages_taken() noexcept { whole_ = messages_ = 0; }
  // The next call to look() starts at a message, because the caller has dropped all bytes.
  void restart() noexcept { whole_ = messages_ = before_ = size_ = parts_ = commands_ = 0; }
  // The next call to look() starts after the command. A command may stand between the parts of a
  // message, as libzmq's PING does. The message then continues after the command.
  void command_taken() noexcept {
    before_ += size_;
    size_ = command_size_ = 0;
  }

  // From now on, limits::command_size applies to commands.
  void handshake_done() noexcept { command_limit_ = limit_->command_size; }

private:
  [[nodiscard]] found need(std::size_t bytes) noexcept {
    if (messages_ != 0) {
      return found::message;
    }
    needed_ = size_ + bytes;
    return found::more;
  }
  // Skips parts of at most 255 bytes, from the start of a message. Returns whether there are enough
  // messages.
  [[nodiscard]] bool skip_short_parts(std::span<std::byte> bytes, frame::cut most) noexcept {
    if (limit_->frame_size < frame::max_short_body) [[unlikely]] {
      return false;
    }
    const auto most_parts = limit_->message_parts;
    const auto most_size = limit_->message_size;
    const auto* const begin = bytes.data();
    const auto* const end = begin + bytes.size();
    const auto* const enough = begin + std::min(most.bytes, bytes.size());
    const auto* at = begin + whole_;
    const auto* message = at;
    auto messages = messages_;
    std::size_t parts = 0;
    while (end - at >= 2 && *at <= frame::more && parts < most_parts) {
      const auto whole = 2 + std::to_integer<std::ptrdiff_t>(at[1]);
      if (end - at < whole || static_cast<std::size_t>(at + whole - message) > most_size) {
        break;
      }
      const bool last = *at == std::byte{};
      at += whole;
      ++parts;
      if (last) {
        last_parts_ = std::exchange(parts, 0);
        message = at;
        if (++messages >= most.messages || at >= enough) {
          break;
        }
      }
    }
    messages_ = messages;
    whole_ = static_cast<std::size_t>(message - begin);
    size_ = static_cast<std::size_t>(at - message);
    parts_ = parts;
    return messages_ != 0 && (messages_ >= most.messages || whole_ >= most.bytes);
  }
  [[nodiscard]] found fail(errc fault) noexcept {
    fault_ = fault;
    return found::fault;
  }
  // Handles a frame whose flags contain more than MORE. Returns nothing if the frame is a part and
  // its header is complete.
  [[nodiscard]] std::optional<found> look_closer(std::span<std::byte> rest) noexcept;
  [[nodiscard]] found over_limit(std::uint64_t body) noexcept;

  const limits* limit_;
  std::size_t command_limit_;
  std::size_t whole_ = 0;  // bytes of whole messages that are not taken yet …
  std::size_t messages_ = 0;
  std::size_t last_parts_ = 0;  // … and parts of the last one
  // The message in progress:
  std::size_t before_ = 0;    // bytes of its frames before its last command
  std::size_t size_ = 0;      // bytes of its whole frames after that command
  std::size_t parts_ = 0;     // all whole frames
  std::size_t commands_ = 0;  // commands between these frames
  std::size_t command_size_ = 0;
  std::size_t needed_ = 0;
  error_code fault_;
};

}  // namespace zmtp
