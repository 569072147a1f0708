#pragma once
// The state of TCP acknowledgements of written bytes.

#include <cstddef>
#include <cstdint>

namespace zmtp::transport {

struct acknowledgement {
  std::uint64_t bytes = 0;  // bytes that the peer's kernel has acknowledged so far
  bool complete = true;     // everything is acknowledged, and window probes are answered
};

// Reads the state of a connected socket. For a socket that is not TCP, returns complete, because
// the kernel reports a lost peer by itself.
[[nodiscard]] acknowledgement acknowledged(int descriptor) noexcept;
// Bytes that are written and not acknowledged yet. The end of the stream counts as one. For a local
// socket: bytes that the peer has not read yet.
[[nodiscard]] std::size_t unacknowledged(int descriptor) noexcept;
// Returns whether the peer has disconnected without reading everything. Returns true only once.
[[nodiscard]] bool reset(int descriptor) noexcept;

}  // namespace zmtp::transport
