#pragma once
// Whether a socket can be received from, or sent to, at once.

namespace zmtp {

class socket_core;

namespace operations {

// Something has come, for which the pattern may still have no use.
[[nodiscard]] bool readable(socket_core& core) noexcept;
// There is room, and nobody who waits for it.
[[nodiscard]] bool writable(socket_core& core) noexcept;

}  // namespace operations
}  // namespace zmtp
