#pragma once
// Whether a socket is readable or writable.

namespace zmtp {

class socket_core;

namespace operations {

// Returns whether a message is queued. The pattern may still drop it.
[[nodiscard]] bool readable(socket_core& core) noexcept;
// Returns whether a message would be queued now. False while a send operation waits.
[[nodiscard]] bool writable(socket_core& core) noexcept;

}  // namespace operations
}  // namespace zmtp
