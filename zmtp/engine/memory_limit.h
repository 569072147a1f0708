#pragma once
// The memory available to the process, and the initial memory budget.

#include <cstddef>
#include <filesystem>
#include <optional>

namespace zmtp {

// Bytes: the memory of the machine, or the limit of the process's cgroups.
[[nodiscard]] std::size_t process_memory();

// The initial memory budget, a quarter of the available memory: three quarters of it for queued
// messages, the rest for partial messages. Queries the system once.
struct memory_limits {
  std::size_t queued;
  std::size_t partial_messages;

  [[nodiscard]] static const memory_limits& of_process();
};

// Returns the smallest memory limit of the process's cgroups, from its own (`proc/self/cgroup`) up
// to their root, of version 2 (`sys/fs/cgroup`) and version 1 (`sys/fs/cgroup/memory`). All paths
// are below `root`. Returns nothing if there is no limit or no file can be read. In a container,
// its own cgroup is the root.
[[nodiscard]] std::optional<std::size_t> cgroup_memory_limit(const std::filesystem::path& root);

}  // namespace zmtp
