#include "test/support/system_calls.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <sys/epoll.h>
#include <sys/ioctl.h>
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
// Elements above the highest index in use are as reset left them.
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

struct planned_failure {
  system_call call{};
  std::size_t skipped = 0;
  int error = 0;
  enum { none, planned, happened } state = none;
};

thread_local constinit planned_failure failure{};

bool is_socket(int fd) noexcept {
  struct ::stat status {};
  const int error = errno;
  const bool is = ::fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode);
  errno = error;
  return is;
}

bool fails(system_call call, int fd) noexcept {
  if (failure.state != planned_failure::planned || failure.call != call || !is_socket(fd) ||
      failure.skipped-- != 0) {
    return false;
  }
  failure.state = planned_failure::happened;
  if (failure.error == ECONNRESET || failure.error == EPIPE || failure.error == ETIMEDOUT ||
      failure.error == ENOTCONN) {
    ::syscall(SYS_shutdown, fd, SHUT_RDWR);
  }
  errno = failure.error;
  return true;
}

// The socket does not exist yet.
bool opening_fails() noexcept {
  if (failure.state != planned_failure::planned || failure.call != system_call::open ||
      failure.skipped-- != 0) {
    return false;
  }
  failure.state = planned_failure::happened;
  errno = failure.error;
  return true;
}

template <class... Arguments>
int call_unless(system_call call, long number, int fd, Arguments... arguments) noexcept {
  return fails(call, fd) ? -1 : static_cast<int>(::syscall(number, fd, arguments...));
}

ssize_t read_by(int fd, ssize_t count) noexcept {
  if (auto* of = calls_of(fd)) {
    ++of->reads;
    of->read_bytes += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
  return count;
}

ssize_t written_by(int fd, ssize_t count) noexcept {
  if (auto* of = calls_of(fd)) {
    ++of->writes;
    of->written_bytes += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
  return count;
}

}  // namespace

std::span<const descriptor_calls> counted_calls() noexcept { return std::span{calls}.first(used); }

void reset_counted_calls() noexcept {
  std::fill_n(calls.begin(), used, descriptor_calls{});
  used = 0;
}

std::string_view to_string(system_call call) noexcept {
  switch (call) {
    case system_call::open: return "open";
    case system_call::bind: return "bind";
    case system_call::listen: return "listen";
    case system_call::connect: return "connect";
    case system_call::accept: return "accept";
    case system_call::watch: return "watch";
    case system_call::read: return "read";
    case system_call::write: return "write";
    case system_call::set_option: return "set_option";
    case system_call::get_option: return "get_option";
    case system_call::name: return "name";
    case system_call::control: return "control";
    case system_call::shut_down: return "shut_down";
    case system_call::close: return "close";
  }
  return {};
}

std::ostream& operator<<(std::ostream& to, system_call call) { return to << to_string(call); }

void fail_call(system_call call, std::size_t skipped, int error) noexcept {
  failure = {call, skipped, error, planned_failure::planned};
}

bool stop_failing() noexcept {
  const bool happened = failure.state == planned_failure::happened;
  failure = {};
  return happened;
}

}  // namespace zmtp::test

using zmtp::test::call_unless;
using zmtp::test::fails;
using zmtp::test::opening_fails;
using zmtp::test::read_by;
using zmtp::test::system_call;
using zmtp::test::written_by;

// errno is the system call's: what follows it succeeds.
extern "C" {

ssize_t read(int fd, void* to, size_t size) {
  return read_by(fd, fails(system_call::read, fd) ? -1 : ::syscall(SYS_read, fd, to, size));
}
ssize_t readv(int fd, const struct iovec* to, int count) {
  return read_by(fd, fails(system_call::read, fd) ? -1 : ::syscall(SYS_readv, fd, to, count));
}
ssize_t recv(int fd, void* to, size_t size, int flags) {
  return read_by(fd, fails(system_call::read, fd)
                         ? -1
                         : ::syscall(SYS_recvfrom, fd, to, size, flags, nullptr, nullptr));
}
ssize_t recvmsg(int fd, struct msghdr* to, int flags) {
  return read_by(fd, fails(system_call::read, fd) ? -1 : ::syscall(SYS_recvmsg, fd, to, flags));
}
ssize_t write(int fd, const void* from, size_t size) {
  return written_by(fd, fails(system_call::write, fd) ? -1 : ::syscall(SYS_write, fd, from, size));
}
ssize_t writev(int fd, const struct iovec* from, int count) {
  return written_by(fd,
                    fails(system_call::write, fd) ? -1 : ::syscall(SYS_writev, fd, from, count));
}
ssize_t send(int fd, const void* from, size_t size, int flags) {
  return written_by(fd, fails(system_call::write, fd)
                            ? -1
                            : ::syscall(SYS_sendto, fd, from, size, flags, nullptr, 0));
}
ssize_t sendmsg(int fd, const struct msghdr* from, int flags) {
  return written_by(fd,
                    fails(system_call::write, fd) ? -1 : ::syscall(SYS_sendmsg, fd, from, flags));
}

int socket(int domain, int type, int protocol) noexcept {
  return opening_fails() ? -1 : static_cast<int>(::syscall(SYS_socket, domain, type, protocol));
}
int bind(int fd, const struct sockaddr* at, socklen_t size) noexcept {
  return call_unless(system_call::bind, SYS_bind, fd, at, size);
}
int listen(int fd, int backlog) noexcept {
  return call_unless(system_call::listen, SYS_listen, fd, backlog);
}
int connect(int fd, const struct sockaddr* to, socklen_t size) {
  return call_unless(system_call::connect, SYS_connect, fd, to, size);
}
int accept4(int fd, struct sockaddr* from, socklen_t* size, int flags) {
  return call_unless(system_call::accept, SYS_accept4, fd, from, size, flags);
}
int epoll_ctl(int epoll, int operation, int fd, struct epoll_event* event) noexcept {
  if (operation == EPOLL_CTL_ADD && fails(system_call::watch, fd)) {
    return -1;
  }
  return static_cast<int>(::syscall(SYS_epoll_ctl, epoll, operation, fd, event));
}
int setsockopt(int fd, int level, int name, const void* value, socklen_t size) noexcept {
  return call_unless(system_call::set_option, SYS_setsockopt, fd, level, name, value, size);
}
int getsockopt(int fd, int level, int name, void* value, socklen_t* size) noexcept {
  return call_unless(system_call::get_option, SYS_getsockopt, fd, level, name, value, size);
}
int getsockname(int fd, struct sockaddr* to, socklen_t* size) noexcept {
  return call_unless(system_call::name, SYS_getsockname, fd, to, size);
}
int getpeername(int fd, struct sockaddr* to, socklen_t* size) noexcept {
  return call_unless(system_call::name, SYS_getpeername, fd, to, size);
}
int ioctl(int fd, unsigned long request, ...) noexcept {
  va_list rest;
  va_start(rest, request);
  auto* const argument = va_arg(rest, void*);
  va_end(rest);
  return call_unless(system_call::control, SYS_ioctl, fd, request, argument);
}
int shutdown(int fd, int how) noexcept {
  return call_unless(system_call::shut_down, SYS_shutdown, fd, how);
}
int close(int fd) {
  if (!fails(system_call::close, fd)) {
    return static_cast<int>(::syscall(SYS_close, fd));
  }
  const int error = errno;
  ::syscall(SYS_close, fd);
  errno = error;
  return -1;
}

}  // extern "C"
