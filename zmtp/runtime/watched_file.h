#pragma once
// Notices that a file on disk has changed.

#include "zmtp/runtime/runtime.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace zmtp {

// How often the files of an authenticator or an endpoint are checked.
inline constexpr std::chrono::milliseconds file_check_interval{1'000};

// Compares the identity, the size and the times of the file. Does not block on a pipe or a device:
// they count as absent.
class watched_file {
public:
  explicit watched_file(std::string path) : path_{std::move(path)} {}

  // Returns whether the file must be read (again): on the first call, after a change, and while the
  // last change is so recent that another one could have the same times.
  [[nodiscard]] bool changed(runtime::wall_time now);
  // Returns whether it was a regular file at the last call of changed().
  [[nodiscard]] bool present() const noexcept { return seen_.has_value(); }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

private:
  struct stamp {
    std::uint64_t device, inode;
    std::int64_t size, modified, status_changed;  // the times in nanoseconds

    friend bool operator==(const stamp&, const stamp&) = default;
  };
  [[nodiscard]] std::optional<stamp> look() const noexcept;

  std::string path_;
  std::optional<stamp> seen_;
  bool certain_ = false;  // a further change will have other times
};

}  // namespace zmtp
