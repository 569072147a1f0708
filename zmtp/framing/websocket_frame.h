#pragma once
// The frames of WebSocket (RFC 6455 section 5.2): their headers, and the mask of a client. Pure.

#include "zmtp/error.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace zmtp::websocket {

// A client masks all that it sends, and a server nothing.
enum class side : std::uint8_t { client, server };

enum class opcode : std::uint8_t {
  continuation = 0,
  text = 1,
  binary = 2,
  close = 8,
  ping = 9,
  pong = 10,
};

[[nodiscard]] constexpr bool is_control(opcode code) noexcept { return code >= opcode::close; }

// The status in a Close (RFC 6455 section 7.4.1).
inline constexpr std::uint16_t normal_closure = 1000;
inline constexpr std::uint16_t protocol_error = 1002;

inline constexpr std::size_t max_header_size = 14;
inline constexpr std::size_t max_control_payload = 125;  // bytes

using mask_key = std::array<std::byte, 4>;

// Copies bytes of a payload and masks, or unmasks, them. `offset` is their place in the payload. In
// place: `to` may be `from`.
void mask(std::byte* to, std::span<const std::byte> from, const mask_key& key,
          std::uint64_t offset) noexcept;

// Writes a header of a whole message, or of a control frame. `key` is null for a server. Returns the
// position after the header.
std::byte* put_header(std::byte* to, opcode code, std::uint64_t payload,
                      const mask_key* key) noexcept;

// Collects the header of a frame that the peer of `own` has sent, byte by byte.
class header_reader {
public:
  explicit header_reader(side own) noexcept : own_{own} {}

  // Takes bytes up to the end of the header, and returns their number.
  // Errors: errc::bad_websocket_frame, for reserved bits, unknown opcodes, text, a wrong or missing
  // mask, a size in a longer form than necessary, and control frames that are fragments or above
  // 125 bytes.
  [[nodiscard]] result<std::size_t> read(std::span<const std::byte> from) noexcept;
  // Returns whether nothing of the header has arrived.
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] bool complete() const noexcept { return size_ >= 2 && size_ == expected(); }
  void restart() noexcept { size_ = 0; }

  // Valid when complete.
  [[nodiscard]] opcode code() const noexcept;
  // Returns whether this is the last fragment of its message, which may be the only one.
  [[nodiscard]] bool final() const noexcept;
  [[nodiscard]] std::uint64_t payload() const noexcept;
  [[nodiscard]] mask_key key() const noexcept;  // zeros if the payload is not masked

private:
  [[nodiscard]] std::size_t size_bytes() const noexcept;
  [[nodiscard]] std::size_t expected() const noexcept;
  [[nodiscard]] bool starts_well() const noexcept;

  std::array<std::byte, max_header_size> bytes_{};
  std::size_t size_ = 0;
  side own_;
};

}  // namespace zmtp::websocket
