#include "zmtp/runtime/watched_file.h"

#include <sys/stat.h>

namespace zmtp {

namespace {

constexpr std::chrono::seconds coarsest_time{2};  // some file systems store no finer times

std::int64_t nanoseconds(const ::timespec& time) noexcept {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

std::optional<watched_file::stamp> watched_file::look() const noexcept {
  struct ::stat found {};
  if (::stat(path_.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) {
    return std::nullopt;
  }
  return stamp{found.st_dev, found.st_ino, found.st_size, nanoseconds(found.st_mtim),
               nanoseconds(found.st_ctim)};
}

bool watched_file::changed(runtime::wall_time now) {
  const auto at = look();
  if (certain_ && at == seen_) {
    return false;
  }
  seen_ = at;
  const std::chrono::nanoseconds time = now.time_since_epoch();
  certain_ =
      !at || time.count() - at->status_changed > std::chrono::nanoseconds{coarsest_time}.count();
  return true;
}

}  // namespace zmtp
