#include "tools/zinc/progress.h"

#include <fmt/core.h>

#include <cstdio>
#include <unistd.h>

namespace zinc {

namespace {

constexpr auto interval = std::chrono::milliseconds{100};

}  // namespace

std::string progress_text(std::size_t ended, std::size_t total, std::size_t failed,
                          double seconds) {
  const auto percent = total == 0 ? 100 : 100 * ended / total;
  const auto rate = seconds > 0 ? static_cast<double>(ended) / seconds : 0;
  return fmt::format("{} of {} ({} %), {} failed, {:.0f}/s", ended, total, percent, failed, rate);
}

progress::progress(std::size_t total, bool wanted)
    : total_{total}, shows_{wanted && ::isatty(STDERR_FILENO) == 1} {}

void progress::update(std::size_t ended, std::size_t failed) {
  const auto now = clock::now();
  if (!shows_ || now < next_) {
    return;
  }
  next_ = now + interval;
  visible_ = true;
  const auto seconds = std::chrono::duration<double>(now - began_).count();
  fmt::print(stderr, "\r{}\x1b[K", progress_text(ended, total_, failed, seconds));
}

void progress::clear() {
  if (visible_) {
    visible_ = false;
    fmt::print(stderr, "\r\x1b[K");
  }
}

}  // namespace zinc
