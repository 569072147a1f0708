#pragma once
// CURVE after the handshake (RFC 26 "MESSAGE"): each frame in a box.

#include "zmtp/curve/box.h"
#include "zmtp/framing/framing.h"
#include "zmtp/options.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace zmtp {

// On the wire, each frame is a frame without flags: 07 'MESSAGE', a nonce of 8 bytes, and a box of
// one byte of flags and the body. Commands are in boxes too, as libzmq sends them: the second bit of
// the flags says command. RFC 26 reserves it.
class curve_framing final : public framing {
public:
  enum class side : std::uint8_t { client, server };

  // `sent` and `received` are the last nonces of the handshake. Nonces never repeat: the counters
  // have 64 bits.
  curve_framing(side own, const curve::box_key& key, std::uint64_t sent, std::uint64_t received,
                const limits& limit) noexcept;

  // Faults: errc::bad_frame_flags, frame_too_large, bad_command, unexpected_command (not MESSAGE),
  // nonce_not_increased, box_not_opened.
  [[nodiscard]] progress read(std::span<std::byte> from, std::span<std::byte> to) noexcept override;
  [[nodiscard]] std::size_t write(std::span<const piece> from,
                                  std::span<std::byte> to) noexcept override;
  [[nodiscard]] std::size_t needed(std::span<const std::byte> from) const noexcept override;
  [[nodiscard]] std::size_t overhead() const noexcept override;

private:
  [[nodiscard]] result<std::size_t> open(std::span<const std::byte> body, std::byte* to) noexcept;

  curve::box_key key_;
  std::uint64_t sent_;
  std::uint64_t received_;
  std::size_t largest_;  // bytes of a body on the wire
  side own_;
};

}  // namespace zmtp
