#include "zmtp/transport/ipc.h"

#include "zmtp/runtime/runtime.h"
#include "zmtp/transport/system_stream.h"

#include <boost/asio/local/stream_protocol.hpp>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace zmtp::transport {

namespace {

// Files may appear and disappear between the check of an existing file and the next attempt.
constexpr int attempts = 8;

error_code bind_to(listening_socket& socket, const ipc_address& at) {
  error_code ec;
  socket.bind(kernel_address(at), ec);
  return ec;
}

// Held while a socket file is created or replaced. Between bind() and listen(), a socket looks
// stale, and without the lock another process could remove its file. Zinc holds the lock for
// microseconds. After 500 ms, the attempt continues without the lock, because another program may
// hold it.
class folder_lock {
public:
  explicit folder_lock(const std::string& path) {
    const auto folder = std::filesystem::path{path}.parent_path();
    fd_ = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    constexpr int timeout = 500;
    for (int i = 0; fd_ >= 0 && i < timeout && ::flock(fd_, LOCK_EX | LOCK_NB) != 0; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
  }
  folder_lock(const folder_lock&) = delete;
  folder_lock& operator=(const folder_lock&) = delete;
  ~folder_lock() {
    if (fd_ >= 0) {
      ::close(fd_);
    }
  }

private:
  int fd_;
};

// The state of an occupied path: free again, a file that must remain, a live socket, or the file of
// a socket at which no process listens.
enum class obstacle { none, other_file, living, stale };

obstacle look(const ipc_address& at, const asio::any_io_executor& executor) {
  struct ::stat status {};
  if (::lstat(at.path.c_str(), &status) != 0) {
    return errno == ENOENT ? obstacle::none : obstacle::living;
  }
  if (!S_ISSOCK(status.st_mode)) {
    return obstacle::other_file;
  }
  stream_socket probe{executor};
  const auto ec = connect_ipc(probe, at, {});
  if (ec == asio::error::connection_refused) {
    return obstacle::stale;
  }
  // If the check fails, treat the socket as live.
  return ec == boost::system::errc::no_such_file_or_directory ? obstacle::none : obstacle::living;
}

error_code bind_to_file(listening_socket& socket, const ipc_address& at) {
  for (int i = 0; i < attempts; ++i) {
    const auto ec = bind_to(socket, at);
    if (ec != asio::error::address_in_use) {
      return ec;
    }
    switch (look(at, socket.get_executor())) {
      case obstacle::none: break;
      case obstacle::other_file: return errc::path_taken;
      case obstacle::living: return ec;
      case obstacle::stale:
        if (::unlink(at.path.c_str()) != 0 && errno != ENOENT) {
          return last_error();
        }
        break;
    }
  }
  return asio::error::address_in_use;
}

// Uses the first unused random name.
error_code bind_to_new_file(listening_socket& socket, ipc_address& at) {
  const char* const named = ::secure_getenv("TMPDIR");
  const std::string folder = named != nullptr && *named != '\0' ? named : "/tmp";
  auto& source = runtime::of(socket.get_executor());
  error_code ec = asio::error::address_in_use;
  for (int i = 0; i < attempts && ec == asio::error::address_in_use; ++i) {
    at.path = folder + "/zmtp-" + std::to_string(source.random<std::uint64_t>());
    if (at.path.size() > ipc_address::max_size) {
      return errc::address_too_long;
    }
    ec = bind_to(socket, at);
  }
  return ec;
}

// The file was created with the mode less the umask.
error_code widen(const std::string& path, ::mode_t mode) {
  struct ::stat status {};
  constexpr ::mode_t permissions = 0777;
  if (::lstat(path.c_str(), &status) == 0 &&
      ((status.st_mode & permissions) == mode || ::chmod(path.c_str(), mode) == 0)) {
    return {};
  }
  return last_error();
}

error_code listen_at_file(listening_socket& socket, const ipc_address& at,
                          const transport_options& options, int backlog, ipc_address& bound,
                          ipc_file& file) {
  // Before bind(), this sets the mode with which bind() creates the file, less the umask. The umask
  // belongs to the whole process and must not change.
  if (::fchmod(socket.native_handle(), options.file_mode) != 0) {
    return last_error();
  }
  const bool any = at.path == "*";
  std::optional<folder_lock> lock;
  if (!any) {
    lock.emplace(at.path);
  }
  bound = at;
  auto ec = any ? bind_to_new_file(socket, bound) : bind_to_file(socket, bound);
  if (ec) {
    return ec;
  }
  ipc_file made{bound.path};
  ec = widen(bound.path, options.file_mode);
  if (!ec) {
    socket.listen(backlog, ec);
  }
  if (!ec) {
    file = std::move(made);
  }
  return ec;
}

}  // namespace

ipc_file::ipc_file(const std::string& path) {
  std::error_code ec;
  const auto whole = std::filesystem::absolute(path, ec);
  struct ::stat status {};
  if (!ec && ::lstat(path.c_str(), &status) == 0) {
    path_ = whole.string();
    device_ = status.st_dev;
    inode_ = status.st_ino;
    maker_ = ::getpid();
  }
}

ipc_file& ipc_file::operator=(ipc_file&& other) noexcept {
  ipc_file taken{std::move(other)};
  swap(taken);
  return *this;
}

void ipc_file::swap(ipc_file& other) noexcept {
  path_.swap(other.path_);
  std::swap(device_, other.device_);
  std::swap(inode_, other.inode_);
  std::swap(maker_, other.maker_);
}

void ipc_file::remove() noexcept {
  struct ::stat status {};
  if (!path_.empty() && maker_ == ::getpid() && ::lstat(path_.c_str(), &status) == 0 &&
      status.st_dev == device_ && status.st_ino == inode_) {
    ::unlink(path_.c_str());
  }
  path_.clear();
}

stream_address kernel_address(const ipc_address& from) {
  std::string path = from.path;
  if (from.abstract()) {
    path.front() = '\0';
  }
  return asio::local::stream_protocol::endpoint{path};
}

error_code listen_ipc(listening_socket& socket, const ipc_address& at,
                      const transport_options& options, int backlog, ipc_address& bound,
                      ipc_file& file) {
  error_code ec = open(socket, AF_UNIX, options);
  if (ec) {
    return ec;
  }
  if (!at.abstract()) {
    return listen_at_file(socket, at, options, backlog, bound, file);
  }
  bound = at;
  ec = bind_to(socket, at);
  if (!ec) {
    socket.listen(backlog, ec);
  }
  return ec;
}

error_code connect_ipc(stream_socket& s, const ipc_address& to, const transport_options& options) {
  if (const auto ec = open(s, AF_UNIX, options)) {
    return ec;
  }
  const auto address = kernel_address(to);
  while (::connect(s.native_handle(), address.data(), static_cast<::socklen_t>(address.size())) !=
         0) {
    if (errno != EINTR) {
      return last_error();
    }
  }
  return {};
}

}  // namespace zmtp::transport
