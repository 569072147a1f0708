#include "bench/slow_disk.h"

#include <sqlite3.h>

#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace bench {

namespace {

constexpr auto name = "slow";

// SQLite's own methods of a file, with another flush in their midst.
struct slow_methods {
  sqlite3_io_methods methods;
  int (*flush)(sqlite3_file*, int);
};

std::chrono::microseconds flush_time;
sqlite3_vfs* usual = nullptr;
std::mutex mutex;
std::map<const sqlite3_io_methods*, slow_methods> known;

int flush_slowly(sqlite3_file* file, int how) {
  const auto end = std::chrono::steady_clock::now() + flush_time;
  // The methods of `file` are the first member of theirs.
  const auto* const of = reinterpret_cast<const slow_methods*>(file->pMethods);
  const auto code = of->flush(file, how);
  std::this_thread::sleep_until(end);
  return code;
}

int open(sqlite3_vfs*, const char* path, sqlite3_file* file, int flags, int* out_flags) {
  const auto code = usual->xOpen(usual, path, file, flags, out_flags);
  if (file->pMethods != nullptr) {
    const std::lock_guard lock{mutex};
    const auto [at, is_new] = known.try_emplace(file->pMethods);
    if (is_new) {
      at->second = {*file->pMethods, file->pMethods->xSync};
      at->second.methods.xSync = flush_slowly;
    }
    file->pMethods = &at->second.methods;
  }
  return code;
}

}  // namespace

const char* register_slow_disk(std::chrono::microseconds flush) {
  flush_time = flush;
  usual = sqlite3_vfs_find(nullptr);
  static sqlite3_vfs slow = *usual;
  slow.pNext = nullptr;
  slow.zName = name;
  slow.xOpen = open;
  if (sqlite3_vfs_register(&slow, 0) != SQLITE_OK) {
    throw std::runtime_error{"SQLite does not take the slow disk"};
  }
  return name;
}

}  // namespace bench
