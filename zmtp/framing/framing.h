#pragma once
// The form of ZMTP frames on the wire, when a security mechanism or a transport changes it. Pure.

#include "zmtp/error.h"

#include <cstddef>
#include <span>

namespace zmtp {

// Maps the frames on the wire to ZMTP frames, and back. One object serves one connection, in both
// directions, from the end of its handshake on. So the decoder, commands and queues know only ZMTP
// frames: each implementation also maps commands. For example, a MESSAGE of CURVE that contains a
// command becomes a command frame, and a ping of WebSocket becomes a PING.
//
// A connection without a framing writes frames as they lie in its queue.
//
// The caller owns all bytes. A framing keeps no reference to them after a call. It keeps only its
// keys, counters and limits. Both directions handle whole frames only, so no frame ever waits
// inside.
class framing {
public:
  using piece = std::span<const std::byte>;

  struct progress {
    std::size_t used = 0;  // bytes of `from` that were mapped; they are whole frames
    std::size_t made = 0;  // bytes written to `to`; they are whole frames
    error_code fault{};    // the connection must end; everything before `used` was valid
  };

  virtual ~framing() = default;

  // Maps received bytes to ZMTP frames. `from` starts with a wire frame. An incomplete wire frame
  // at the end of `from` stays as it is, and the next call starts with it.
  //
  // In place: `to` may be the same memory as `from`, or start before it. ZMTP frames are never
  // longer than their wire frames, and `to` is written only up to bytes that were used. Between
  // `to` and the rest of `from`, used bytes may be overwritten. `to` must have space for from.size()
  // bytes.
  //
  // Bytes that were read together with the last command of the handshake pass through it too. A
  // wire frame that declares more bytes than the limits allow is a fault at once, because it would
  // otherwise be collected first.
  [[nodiscard]] virtual progress read(std::span<std::byte> from,
                                      std::span<std::byte> to) noexcept = 0;

  // Maps one whole message, or one command, to bytes for the wire. Its pieces may begin and end
  // anywhere. `to` has space for its bytes plus overhead() for each of its frames. Returns the
  // number of bytes written to `to`.
  //
  // Called once for each message and command, in the order of writing, because ciphers count
  // frames.
  [[nodiscard]] virtual std::size_t write(std::span<const piece> from,
                                          std::span<std::byte> to) noexcept = 0;

  // Returns the number of contiguous bytes that read() needs to use the first wire frame of `from`,
  // as far as the bytes show it: more than from.size() if that frame is incomplete. Lets the caller
  // reserve space before a read.
  [[nodiscard]] virtual std::size_t needed(std::span<const std::byte> from) const noexcept = 0;

  // Returns the maximum number of bytes by which write() makes a frame longer.
  [[nodiscard]] virtual std::size_t overhead() const noexcept = 0;
};

}  // namespace zmtp
