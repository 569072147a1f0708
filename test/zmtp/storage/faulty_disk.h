#pragma once
// A disk in memory, as a file system of SQLite. The test can switch it off at any step: it then
// loses or tears writes that were not synced. Single steps can fail, and the disk can be full.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

struct sqlite3_vfs;

namespace zmtp::test {

class faulty_disk {
public:
  static constexpr std::size_t sector = 512;

  faulty_disk();
  faulty_disk(const faulty_disk&) = delete;
  faulty_disk& operator=(const faulty_disk&) = delete;
  // After all files are closed.
  ~faulty_disk();

  // Returns the name under which SQLite finds it.
  [[nodiscard]] const char* name() const noexcept { return name_.c_str(); }

  // Writes, syncs, truncations and deletions so far.
  [[nodiscard]] std::size_t steps() const noexcept { return steps_; }
  // From this step on everything fails.
  void switch_off_at(std::size_t step) noexcept { off_at_ = step; }
  // This step alone fails.
  void fail_at(std::size_t step) noexcept { fail_at_ = step; }
  // The number of reads.
  [[nodiscard]] std::size_t reads() const noexcept { return reads_; }
  // Reads from number `begin` up to before `end` fail with this code of SQLite, such as SQLITE_IOERR_READ.
  void fail_reads(std::size_t begin, std::size_t end, int code) noexcept {
    failing_ = {begin, end, code};
  }
  // Bytes of all files.
  void limit(std::size_t bytes) noexcept { limit_ = bytes; }

  // As it was when it was switched off: a process has ended, and not the machine. After all files are
  // closed.
  void switch_on() noexcept { off_at_ = fail_at_ = SIZE_MAX; }
  // Keeps or drops each sector that was not synced. All files must be closed.
  void switch_on(std::uint64_t seed);

  [[nodiscard]] std::vector<std::byte>& content(const std::string& path);
  [[nodiscard]] bool has(const std::string& path) const { return files_.contains(path); }

private:
  struct change {
    std::size_t at;  // offset; the new size if `truncates`
    std::vector<std::byte> bytes;
    bool truncates;
  };
  struct file {
    std::vector<std::byte> synced;
    std::vector<std::byte> current;
    std::vector<change> unsynced;
  };
  struct handle;
  struct methods;

  // Counts a step; false if it fails.
  [[nodiscard]] bool step() noexcept;
  [[nodiscard]] std::size_t size() const noexcept;

  std::string name_;
  std::unique_ptr<sqlite3_vfs> vfs_;
  std::map<std::string, std::shared_ptr<file>> files_;
  std::size_t steps_ = 0;
  std::size_t off_at_ = SIZE_MAX;
  std::size_t fail_at_ = SIZE_MAX;
  std::size_t limit_ = SIZE_MAX;
  struct failing_reads {
    std::size_t begin = SIZE_MAX;
    std::size_t end = SIZE_MAX;
    int code = 0;
  };
  failing_reads failing_;
  std::size_t reads_ = 0;
};

}  // namespace zmtp::test
