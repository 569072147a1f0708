#pragma once
// The identity of the process at the other end of an ipc connection.

#include <cstdint>

namespace zmtp {

// A local process, as the kernel identified it when it connected or started to listen. The process
// may have ended since, and its id may belong to another process.
struct process_credentials {
  std::int32_t pid = 0;  // 0: a process that is not visible in the local pid namespace
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;

  friend bool operator==(const process_credentials&, const process_credentials&) = default;
};

}  // namespace zmtp
