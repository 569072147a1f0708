#pragma once
// Disk space that is held back in a file of its own, so that what ends requests can still be written
// when the disk is full.

#include <cstddef>
#include <memory>
#include <string>

struct sqlite3_file;
struct sqlite3_vfs;

namespace mdp::titanic {

class disk_reserve {
public:
  // In SQLite's file system of this name; null is the usual one.
  disk_reserve(const std::string& path, const char* vfs, std::size_t octets);
  disk_reserve(const disk_reserve&) = delete;
  disk_reserve& operator=(const disk_reserve&) = delete;
  ~disk_reserve();

  // Takes the space, or so much of it, if none is held already. False where there is not enough of it.
  [[nodiscard]] bool hold() { return hold(octets_); }
  [[nodiscard]] bool hold(std::size_t octets);
  [[nodiscard]] bool held() const noexcept { return held_ || octets_ == 0; }
  // Gives it to who needs it. False if there was nothing to give.
  [[nodiscard]] bool release();

private:
  [[nodiscard]] bool fill(std::size_t octets);

  std::size_t octets_;
  const char* name_ = nullptr;  // which the file goes on using
  std::unique_ptr<std::byte[]> storage_;
  sqlite3_file* file_ = nullptr;
  bool held_ = false;
};

}  // namespace mdp::titanic
