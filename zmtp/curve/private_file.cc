#include "zmtp/curve/private_file.h"

#include "zmtp/curve/secret_bytes.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <span>
#include <sys/stat.h>
#include <system_error>

namespace zmtp {

std::string text_of_errno(int error) { return std::generic_category().message(error); }

std::variant<std::string, unread_file> read_private_file(const std::string& path,
                                                         std::size_t limit) {
  const file_descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.number() < 0) {
    return unread_file{text_of_errno(errno), false};
  }
  std::array<char, 4096> some;
  std::string text;
  struct ::stat info {};
  if (::fstat(file.number(), &info) == 0 && info.st_size > 0) {
    // A text that grows would leave copies behind.
    text.reserve(std::min(static_cast<std::size_t>(info.st_size), limit) + some.size());
  }
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
