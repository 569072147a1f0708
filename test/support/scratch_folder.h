#pragma once
// A folder of a test's own, which goes with it.

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <unistd.h>

namespace zmtp::test {

// A folder with a short path, as ipc sockets need it. A child that is forked and ends leaves it alone.
class scratch_folder {
public:
  scratch_folder() : scratch_folder{"/tmp"} {}
  // Without a disk, where the system has files in memory. For a simulation, which must not wait for a disk.
  [[nodiscard]] static scratch_folder in_memory() {
    constexpr auto memory = "/dev/shm";
    return scratch_folder{::access(memory, W_OK) == 0 ? memory : "/tmp"};
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  ~scratch_folder() {
    if (owner_ == ::getpid()) {
      std::error_code ignored;
      std::filesystem::remove_all(path_, ignored);
    }
  }

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  // Returns the path of a file in the folder.
  [[nodiscard]] std::string path(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] bool empty() const { return std::filesystem::is_empty(path_); }

private:
  explicit scratch_folder(const std::string& parent) : path_{parent + "/zmtp-test-XXXXXX"} {
    if (::mkdtemp(path_.data()) == nullptr) {
      throw std::runtime_error{"cannot make " + path_};
    }
  }

  std::string path_;
  ::pid_t owner_ = ::getpid();
};

}  // namespace zmtp::test
