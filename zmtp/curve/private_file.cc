#include "zmtp/curve/private_file.h"

#include "zmtp/curve/secret_bytes.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <span>
#include <sys/stat.h>
#include <system_error>
#include <utility>

namespace zmtp {

std::string text_of_errno(int error) { return std::generic_category().message(error); }

namespace {

// Without O_NONBLOCK, a pipe would be opened only when another process writes to it.
int opened(const std::string& path) noexcept {
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

std::optional<unread_file> fault_of(const file_descriptor& file, struct ::stat& info) {
  if (file.number() < 0 || ::fstat(file.number(), &info) != 0) {
    return unread_file{text_of_errno(errno), false};
  }
  if (S_ISDIR(info.st_mode)) {
    return unread_file{text_of_errno(EISDIR), true};
  }
  if (!S_ISREG(info.st_mode)) {
    return unread_file{"it is a device or a pipe, not a file", true};
  }
  return std::nullopt;
}

}  // namespace

std::optional<unread_file> fault_of_file(const std::string& path) {
  const file_descriptor file{opened(path)};
  struct ::stat info {};
  return fault_of(file, info);
}

std::variant<std::string, unread_file> read_private_file(const std::string& path,
                                                         std::size_t limit) {
  const file_descriptor file{opened(path)};
  struct ::stat info {};
  if (auto unread = fault_of(file, info)) {
    return std::move(*unread);
  }
  std::array<char, 4096> some;
  std::string text;
  // A text that grows would leave copies behind.
  text.reserve(std::min(static_cast<std::size_t>(info.st_size), limit) + some.size());
  std::string fault;
  while (fault.empty()) {
    const auto count = ::read(file.number(), some.data(), some.size());
    if (count == 0) {
      return text;
    }
    if (count < 0) {
      fault = text_of_errno(errno);
    } else {
      text.append(some.data(), static_cast<std::size_t>(count));
      wipe(std::as_writable_bytes(std::span{some}));
    }
    if (text.size() > limit) {
      fault = "above " + std::to_string(limit / 1024) + " KiB";
    }
  }
  wipe(std::as_writable_bytes(std::span{text}));
  return unread_file{std::move(fault), true};
}

}  // namespace zmtp
