#include "chp/lost_file.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

namespace chp {

namespace {

std::string name_of(const lost_updates& what) {
  char tag[16];
  const auto end = std::to_chars(tag, tag + sizeof tag, what.tag, 16).ptr;
  return "lost-" + std::to_string(what.epoch) + '-' + std::string(tag, end) + ".jsonl";
}

}  // namespace

lost_file::lost_file(const std::string& folder, const lost_updates& what)
    : folder_{folder.empty() ? "." : folder},
      path_{folder_ + '/' + name_of(what)},
      handle_{::open(unfinished().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)} {
  check(handle_ >= 0);
  if (what.incomplete) {
    write("{\"incomplete\":true}\n");
  }
}

lost_file::~lost_file() {
  if (handle_ >= 0) {
    ::close(handle_);
  }
}

void lost_file::check(bool done) noexcept {
  if (!done && !ec_) {
    ec_ = {errno, boost::system::system_category()};
  }
}

void lost_file::write(std::string_view lines) {
  while (!ec_ && !lines.empty()) {
    const auto written = ::write(handle_, lines.data(), lines.size());
    check(written >= 0 || errno == EINTR);
    lines.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
  }
}

boost::system::error_code lost_file::finish() {
  if (!ec_) {
    check(::fsync(handle_) == 0);
  }
  if (!ec_) {
    check(std::rename(unfinished().c_str(), path_.c_str()) == 0);
  }
  if (!ec_) {
    const int folder = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    check(folder >= 0 && ::fsync(folder) == 0);
    if (folder >= 0) {
      ::close(folder);
    }
  }
  return ec_;
}

}  // namespace chp
