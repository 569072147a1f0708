#pragma once
// Disk space that a file of its own reserves. When the disk is full, the store releases it to write
// outcomes.

#include <cstddef>
#include <memory>
#include <string>

struct sqlite3_file;
struct sqlite3_vfs;

namespace mdp::titanic {

class disk_reserve {
public:
  // `vfs` is the name of SQLite's file system; null is the default one.
  disk_reserve(const std::string& path, const char* vfs, std::size_t bytes);
  disk_reserve(const disk_reserve&) = delete;
  disk_reserve& operator=(const disk_reserve&) = delete;
  ~disk_reserve();

  // Reserves the space, or `bytes` bytes of it, unless it is reserved already. Returns false if
  // the disk is full.
  [[nodiscard]] bool hold() { return hold(bytes_); }
  [[nodiscard]] bool hold(std::size_t bytes);
  [[nodiscard]] bool held() const noexcept { return held_ || bytes_ == 0; }
  // Frees the space. Returns false if none was reserved.
  [[nodiscard]] bool release();

private:
  [[nodiscard]] bool fill(std::size_t bytes);

  std::size_t bytes_;
  const char* name_ = nullptr;  // the file keeps a pointer to it
  std::unique_ptr<std::byte[]> storage_;
  sqlite3_file* file_ = nullptr;
  bool held_ = false;
};

}  // namespace mdp::titanic
