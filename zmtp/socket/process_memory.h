#pragma once
// How much memory the process may have, and the shares of it that are given out.

#include <cstddef>
#include <filesystem>
#include <optional>

namespace zmtp {

// Octets: the machine's memory, or what a cgroup of the process leaves of it.
[[nodiscard]] std::size_t process_memory();

// What messages may hold of it at first, a quarter: what is queued three quarters of
// that, what has not come whole the rest. Asked of the system once.
struct memory_shares {
  std::size_t queued;
  std::size_t half_messages;

  [[nodiscard]] static const memory_shares& of_process();
};

// The smallest memory limit of the cgroups that the process is in, from its own (`proc/self/cgroup`) up to
// their root, of version 2 (`sys/fs/cgroup`) and 1 (`sys/fs/cgroup/memory`), all below `root`. Nothing
// where there is none, or nothing can be read. A container sees the cgroup that it is in as the root.
[[nodiscard]] std::optional<std::size_t> cgroup_memory_limit(const std::filesystem::path& root);

}  // namespace zmtp
