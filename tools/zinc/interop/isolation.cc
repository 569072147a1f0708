#include "tools/zinc/interop/isolation.h"

#include "tools/zinc/launcher.h"

#include <fmt/core.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace zinc::interop {

namespace {

std::string fault(std::string_view what) {
  return fmt::format("{}: {}", what, std::strerror(errno));
}

bool write_to(const char* file, const std::string& text) {
  const int at = ::open(file, O_WRONLY | O_CLOEXEC);
  if (at < 0) {
    return false;
  }
  const auto written = ::write(at, text.data(), text.size());
  ::close(at);
  return written == static_cast<::ssize_t>(text.size());
}

}  // namespace

std::string leave_network() {
  const auto user = ::geteuid();
  const auto group = ::getegid();
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0) {
    // The users are those of the outer namespace, so that files keep their owners.
    if (!write_to("/proc/self/setgroups", "deny") ||
        !write_to("/proc/self/uid_map", fmt::format("{0} {0} 1", user)) ||
        !write_to("/proc/self/gid_map", fmt::format("{0} {0} 1", group))) {
      return fault("/proc/self/uid_map");
    }
  } else if (::unshare(CLONE_NEWNET) != 0) {
    return fault("unshare");
  }
  const int any = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ::ifreq loopback{};
  std::memcpy(static_cast<char*>(loopback.ifr_name), "lo", 3);
  loopback.ifr_flags = IFF_UP;
  const bool up = any >= 0 && ::ioctl(any, SIOCSIFFLAGS, &loopback) == 0;
  auto why = up ? std::string{} : fault("lo");
  ::close(any);
  return why;
}

std::string why_not_isolated() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return fault("pipe");
  }
  child_process child{[&ends] {
    const auto why = leave_network();
    const auto written = ::write(ends[1], why.data(), why.size());
    return written == static_cast<::ssize_t>(why.size()) ? 0 : 1;
  }};
  ::close(ends[1]);
  std::string why;
  std::array<char, 256> bytes{};
  for (::ssize_t count = 0; (count = ::read(ends[0], bytes.data(), bytes.size())) > 0;) {
    why.append(bytes.data(), static_cast<std::size_t>(count));
  }
  ::close(ends[0]);
  return child.wait() == 0 ? why : "fork: no answer from a child process";
}

}  // namespace zinc::interop
