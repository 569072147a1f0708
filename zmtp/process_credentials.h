#pragma once
// Who is at the other end of an ipc connection.

#include <cstdint>

namespace zmtp {

// A process of this machine as the kernel vouches for it: when it connected, or when it began to
// listen. Its number may be another's by now.
struct process_credentials {
  std::int32_t pid = 0;  // 0: of a process that our pid namespace does not show
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;

  friend bool operator==(const process_credentials&, const process_credentials&) = default;
};

}  // namespace zmtp
