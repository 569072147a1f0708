#pragma once
// What TCP says of the octets that were written to it.

#include <cstdint>

namespace zmtp::transport {

struct acknowledgement {
  std::uint64_t octets = 0;  // that the peer's kernel has acknowledged, ever
  bool complete = true;      // it has acknowledged all, and answers where it is asked for room
};

// Of a connected socket. One that is no TCP has no more to say than the kernel itself, which would have
// told of the loss: complete.
[[nodiscard]] acknowledgement acknowledged(int descriptor) noexcept;
// Octets written and not acknowledged yet, the end of the stream counted as one; of a local socket,
// not read yet.
[[nodiscard]] int unacknowledged(int descriptor) noexcept;
// The peer has gone without having read what it was sent. Says so once.
[[nodiscard]] bool reset(int descriptor) noexcept;

}  // namespace zmtp::transport
