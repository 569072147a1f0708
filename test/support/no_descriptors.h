#pragma once
// A program that has run out of file descriptors.

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace zmtp::test {

// No descriptor beyond those that are open; restored with it.
class no_descriptors {
public:
  no_descriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    // Descriptors are handed out from the lowest: up to the one that the next would get all are open.
    const auto next = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::close(next);
    auto none = before_;
    none.rlim_cur = static_cast<::rlim_t>(next);
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  no_descriptors(const no_descriptors&) = delete;
  no_descriptors& operator=(const no_descriptors&) = delete;
  ~no_descriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

private:
  ::rlimit before_{};
};

}  // namespace zmtp::test
