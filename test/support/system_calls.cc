#include "test/support/system_calls.h"

#include <algorithm>
#include <array>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

namespace zmtp::test {

namespace {

constexpr std::size_t most_descriptors = 1024;

thread_local constinit std::array<descriptor_calls, most_descriptors> calls{};
// Those above the highest one used are as reset left them.
thread_local constinit std::size_t used = 0;

descriptor_calls* calls_of(int fd) noexcept {
  struct ::stat status {};
  if (fd < 0 || static_cast<std::size_t>(fd) >= most_descriptors || ::fstat(fd, &status) != 0 ||
      !S_ISSOCK(status.st_mode)) {
    return nullptr;
  }
  used = std::max(used, static_cast<std::size_t>(fd) + 1);
  return &calls[static_cast<std::size_t>(fd)];
}

ssize_t read_by(int fd, ssize_t count) noexcept {
  if (auto* of = calls_of(fd)) {
    ++of->reads;
    of->read_octets += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
  return count;
}

ssize_t written_by(int fd, ssize_t count) noexcept {
  if (auto* of = calls_of(fd)) {
    ++of->writes;
    of->written_octets += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
  return count;
}

}  // namespace

std::span<const descriptor_calls> counted_calls() noexcept { return std::span{calls}.first(used); }

void reset_counted_calls() noexcept {
  std::fill_n(calls.begin(), used, descriptor_calls{});
  used = 0;
}

}  // namespace zmtp::test

using zmtp::test::read_by;
using zmtp::test::written_by;

// errno is the system call's: what follows it succeeds.
extern "C" {

ssize_t read(int fd, void* to, size_t size) {
  return read_by(fd, ::syscall(SYS_read, fd, to, size));
}
ssize_t readv(int fd, const struct iovec* to, int count) {
  return read_by(fd, ::syscall(SYS_readv, fd, to, count));
}
ssize_t recv(int fd, void* to, size_t size, int flags) {
  return read_by(fd, ::syscall(SYS_recvfrom, fd, to, size, flags, nullptr, nullptr));
}
ssize_t recvmsg(int fd, struct msghdr* to, int flags) {
  return read_by(fd, ::syscall(SYS_recvmsg, fd, to, flags));
}
ssize_t write(int fd, const void* from, size_t size) {
  return written_by(fd, ::syscall(SYS_write, fd, from, size));
}
ssize_t writev(int fd, const struct iovec* from, int count) {
  return written_by(fd, ::syscall(SYS_writev, fd, from, count));
}
ssize_t send(int fd, const void* from, size_t size, int flags) {
  return written_by(fd, ::syscall(SYS_sendto, fd, from, size, flags, nullptr, 0));
}
ssize_t sendmsg(int fd, const struct msghdr* from, int flags) {
  return written_by(fd, ::syscall(SYS_sendmsg, fd, from, flags));
}

}  // extern "C"
