#pragma once
// How much memory the process may have: asked once, where shares of it are given out.

#include <cstddef>
#include <filesystem>
#include <optional>

namespace zmtp {

// Octets: the machine's memory, or what a cgroup of the process leaves of it.
[[nodiscard]] std::size_t process_memory();

// The smallest memory limit of the cgroups that the process is in, from its own (`proc/self/cgroup`) up to
// their root, of version 2 (`sys/fs/cgroup`) and 1 (`sys/fs/cgroup/memory`), all below `root`. Nothing
// where there is none, or nothing can be read. A container sees the cgroup that it is in as the root.
[[nodiscard]] std::optional<std::size_t> cgroup_memory_limit(const std::filesystem::path& root);

}  // namespace zmtp
