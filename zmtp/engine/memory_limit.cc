#include "zmtp/engine/memory_limit.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <limits>
#include <string>
#include <string_view>
#include <unistd.h>

namespace zmtp {

namespace {

namespace fs = std::filesystem;

// Returns an empty text if the file cannot be read. The streams of the standard library would be two
// fifths of a small program (docs/embedding.md).
std::string text_of(const fs::path& file) {
  std::string text;
  if (auto* const in = std::fopen(file.c_str(), "re")) {
    std::array<char, 512> some;
    while (const auto count = std::fread(some.data(), 1, some.size(), in)) {
      text.append(some.data(), count);
    }
    std::fclose(in);
  }
  return text;
}

// Reads a file with one number. Returns nothing for `max`.
std::optional<std::size_t> number_in(const fs::path& file) {
  const auto text = text_of(file);
  std::size_t number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  return end.ec == std::errc{} ? std::optional{number} : std::nullopt;
}

std::optional<std::size_t> smaller(std::optional<std::size_t> a, std::optional<std::size_t> b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}

// From the cgroup up to the root of its hierarchy. With another namespace, the path may be outside
// the visible hierarchy or may not exist.
std::optional<std::size_t> limit_on_the_way(const fs::path& hierarchy, const fs::path& group,
                                            const char* file) {
  auto limit = number_in(hierarchy / file);
  fs::path at = hierarchy;
  for (const auto& name : group.relative_path()) {
    if (name == "..") {
      break;
    }
    at /= name;
    limit = smaller(limit, number_in(at / file));
  }
  return limit;
}

bool has_memory(std::string_view controllers) {
  while (!controllers.empty()) {
    const auto comma = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, comma) == "memory") {
      return true;
    }
    controllers.remove_prefix(std::min(comma + 1, controllers.size()));
  }
  return false;
}

std::size_t machine_memory() {
  const auto pages = ::sysconf(_SC_PHYS_PAGES);
  const auto size = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(size)
                               : std::numeric_limits<std::size_t>::max();
}

}  // namespace

std::optional<std::size_t> cgroup_memory_limit(const fs::path& root) {
  const auto mounted = root / "sys/fs/cgroup";
  std::optional<std::size_t> limit;
  const auto groups = text_of(root / "proc/self/cgroup");
  // The form of a line is hierarchy:controllers:path. Version 2 has no controllers.
  for (std::string_view rest{groups}; !rest.empty();) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) {
      continue;
    }
    const auto controllers = line.substr(first + 1, second - first - 1);
    const fs::path group{line.substr(second + 1)};
    if (controllers.empty()) {
      limit = smaller(limit, limit_on_the_way(mounted, group, "memory.max"));
    } else if (has_memory(controllers)) {
      limit = smaller(limit, limit_on_the_way(mounted / "memory", group, "memory.limit_in_bytes"));
    }
  }
  return limit;
}

std::size_t process_memory() {
  return std::min(machine_memory(), cgroup_memory_limit("/").value_or(machine_memory()));
}

const memory_limits& memory_limits::of_process() {
  static const auto sixteenth = process_memory() / 16;
  static const memory_limits limits{.queued = 3 * sixteenth, .partial_messages = sixteenth};
  return limits;
}

}  // namespace zmtp
