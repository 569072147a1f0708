#include "mdp/titanic/disk_reserve.h"

#include <sqlite3.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace mdp::titanic {

disk_reserve::disk_reserve(const std::string& path, const char* vfs, std::size_t bytes)
    : bytes_{bytes} {
  auto* const system = sqlite3_vfs_find(vfs);
  if (bytes == 0 || system == nullptr) {
    return;
  }
  std::vector<char> full(static_cast<std::size_t>(system->mxPathname) + 1);
  if (system->xFullPathname(system, path.c_str(), system->mxPathname, full.data()) != SQLITE_OK) {
    return;
  }
  storage_ = std::make_unique<std::byte[]>(static_cast<std::size_t>(system->szOsFile));
  file_ = reinterpret_cast<sqlite3_file*>(storage_.get());
  name_ = sqlite3_create_filename(full.data(), "", "", 0, nullptr);
  const auto code = system->xOpen(
      system, name_, file_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_SUPER_JOURNAL,
      nullptr);
  if (code != SQLITE_OK) {
    file_ = nullptr;
  }
}

disk_reserve::~disk_reserve() {
  if (file_ != nullptr) {
    file_->pMethods->xClose(file_);
  }
  if (name_ != nullptr) {
    sqlite3_free_filename(const_cast<char*>(name_));
  }
}

bool disk_reserve::hold(std::size_t bytes) {
  if (held()) {
    return true;
  }
  held_ = file_ != nullptr && fill(bytes);
  if (!held_ && file_ != nullptr) {
    file_->pMethods->xTruncate(file_, 0);
  }
  return held_;
}

bool disk_reserve::fill(std::size_t bytes) {
  // Writes zeros, because bytes after the end of a file may not occupy disk space.
  const std::vector<std::byte> zeros(64 * 1024);
  sqlite3_int64 at = 0;
  if (file_->pMethods->xFileSize(file_, &at) != SQLITE_OK) {
    return false;
  }
  const auto end = static_cast<sqlite3_int64>(bytes);
  while (at < end) {
    const auto next = std::min<sqlite3_int64>(static_cast<sqlite3_int64>(zeros.size()), end - at);
    if (file_->pMethods->xWrite(file_, zeros.data(), static_cast<int>(next), at) != SQLITE_OK) {
      return false;
    }
    at += next;
  }
  // Some file systems report only here that the disk is full.
  return file_->pMethods->xSync(file_, SQLITE_SYNC_NORMAL) == SQLITE_OK;
}

bool disk_reserve::release() {
  return std::exchange(held_, false) && bytes_ != 0 &&
         file_->pMethods->xTruncate(file_, 0) == SQLITE_OK;
}

}  // namespace mdp::titanic
