#pragma once
// A disk that takes its time: SQLite's usual file system, where each flush lasts as long as it is told to.

#include <chrono>

namespace bench {

// For sqlite_options::vfs. To be called once, before any use of SQLite.
const char* register_slow_disk(std::chrono::microseconds flush);

}  // namespace bench
