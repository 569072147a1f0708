#pragma once
// A folder of a test's own, which goes with it.

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

namespace zmtp::test {

// A folder with a short path, as ipc sockets need it.
class scratch_folder {
public:
  scratch_folder() {
    if (::mkdtemp(path_.data()) == nullptr) {
      throw std::runtime_error{"cannot make " + path_};
    }
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  // Returns the path of a file in the folder.
  [[nodiscard]] std::string path(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] bool empty() const { return std::filesystem::is_empty(path_); }

private:
  std::string path_ = "/tmp/zmtp-test-XXXXXX";
};

}  // namespace zmtp::test
