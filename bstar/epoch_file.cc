#include "bstar/epoch_file.h"

#include "bstar/error.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <fcntl.h>
#include <string_view>
#include <sys/types.h>
#include <system_error>
#include <unistd.h>

namespace bstar {

namespace {

using boost::system::error_code;

error_code last_error() noexcept { return {errno, boost::system::system_category()}; }

// An open file, or errno.
class descriptor {
public:
  descriptor(const std::string& path, int flags) noexcept
      : handle_{::open(path.c_str(), flags | O_CLOEXEC, 0600)} {}
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() {
    if (handle_ >= 0) {
      ::close(handle_);
    }
  }

  [[nodiscard]] bool is_open() const noexcept { return handle_ >= 0; }
  // Replaces the content. A few bytes stay in the block that the file has.
  [[nodiscard]] bool write(std::string_view text) const noexcept {
    const auto size = static_cast<::off_t>(text.size());
    for (::off_t at = 0; at != size;) {
      const auto written =
          ::pwrite(handle_, text.data() + at, text.size() - static_cast<std::size_t>(at), at);
      if (written < 0 && errno != EINTR) {
        return false;
      }
      at += written > 0 ? written : 0;
    }
    return ::ftruncate(handle_, size) == 0;
  }
  // Reads up to the size of the array. Returns a negative value on error.
  template <std::size_t Size>
  [[nodiscard]] ssize_t read(std::array<char, Size>& to) const noexcept {
    for (;;) {
      const auto count = ::read(handle_, to.data(), to.size());
      if (count >= 0 || errno != EINTR) {
        return count;
      }
    }
  }
  [[nodiscard]] bool sync() const noexcept { return ::fsync(handle_) == 0; }

private:
  int handle_;
};

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

}  // namespace

epoch epoch_file::load(error_code& ec) const {
  ec.clear();
  if (path_.empty()) {
    return 0;
  }
  const descriptor file{path_, O_RDONLY};
  if (!file.is_open()) {
    if (errno != ENOENT) {
      ec = last_error();
    }
    return 0;
  }
  std::array<char, 16> text{};
  const auto size = file.read(text);
  if (size < 0) {
    ec = last_error();
    return 0;
  }
  epoch which = 0;
  const auto* const end = text.data() + size;
  const auto [read_to, fault] = std::from_chars(text.data(), end, which);
  // The line feed proves that the number is complete.
  if (fault != std::errc{} || read_to + 1 != end || *read_to != '\n' || which > max_epoch) {
    ec = errc::bad_epoch_file;
    return 0;
  }
  return which;
}

void epoch_file::make_spare(error_code& ec) const {
  ec.clear();
  if (path_.empty()) {
    return;
  }
  const descriptor spare{spare_, O_WRONLY | O_CREAT | O_EXCL};
  if (spare.is_open() ? !spare.write("0\n") || !spare.sync() : errno != EEXIST) {
    ec = last_error();
  }
}

void epoch_file::store(epoch which, error_code& ec) const {
  ec.clear();
  if (path_.empty()) {
    return;
  }
  {
    const descriptor spare{spare_, O_WRONLY | O_CREAT};
    if (!spare.is_open() || !spare.write(std::to_string(which) + '\n') || !spare.sync()) {
      ec = last_error();
      return;
    }
  }
  // The first epoch has no file to exchange with, and some file systems do not exchange.
  const bool exchanged =
      ::renameat2(AT_FDCWD, spare_.c_str(), AT_FDCWD, path_.c_str(), RENAME_EXCHANGE) == 0;
  if (!exchanged && std::rename(spare_.c_str(), path_.c_str()) != 0) {
    ec = last_error();
    return;
  }
  const descriptor folder{folder_of(path_), O_RDONLY | O_DIRECTORY};
  if (!folder.is_open() || !folder.sync()) {
    ec = last_error();
    return;
  }
  if (!exchanged) {
    // The number is stored. If there is no room for another spare, the next store() tries again.
    error_code ignored;
    make_spare(ignored);
  }
}

}  // namespace bstar
