// Preloaded into a program (LD_PRELOAD), this library lets the time of day jump: each second the time is an
// hour ahead, an hour behind, or right. A steady clock, which only measures time, does not change.
#include <ctime>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

namespace {

std::time_t jump() {
  constexpr std::time_t hour = 3600;
  std::timespec steady{};
  ::syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &steady);
  return (steady.tv_sec % 3 - 1) * hour;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t which, std::timespec* to) noexcept {
  const auto result = static_cast<int>(::syscall(SYS_clock_gettime, which, to));
  if (result == 0 && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE)) {
    to->tv_sec += jump();
  }
  return result;
}

int gettimeofday(timeval* to, void*) noexcept {
  std::timespec now{};
  const int result = clock_gettime(CLOCK_REALTIME, &now);
  *to = {now.tv_sec, static_cast<suseconds_t>(now.tv_nsec / 1000)};
  return result;
}

std::time_t time(std::time_t* to) noexcept {
  std::timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (to != nullptr) {
    *to = now.tv_sec;
  }
  return now.tv_sec;
}
}
