#include "tools/zinc/interop/python_check.h"

#include "tools/zinc/launcher.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace zinc::interop {

namespace {

// Returns the last line, in which Python names the error.
std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') {
    text.pop_back();
  }
  const auto before = text.rfind('\n');
  return before == std::string::npos ? text : text.substr(before + 1);
}

std::string read_all(int from) {
  std::string all;
  std::array<char, 4096> piece{};
  for (;;) {
    const auto count = ::read(from, piece.data(), piece.size());
    if (count > 0) {
      all.append(piece.data(), static_cast<std::size_t>(count));
    } else if (count == 0 || errno != EINTR) {
      return all;
    }
  }
}

}  // namespace

std::string why_no_pyzmq(const std::string& python) {
  std::array<int, 2> errors{};
  if (::pipe2(errors.data(), O_CLOEXEC) != 0) {
    return std::strerror(errno);
  }
  std::string fault;
  std::string said;
  int status = 0;
  try {
    child_process child{{python, "-c", "import zmq"}, {.errors = errors[1]}};
    ::close(errors[1]);
    said = read_all(errors[0]);
    status = child.wait();
  } catch (const std::system_error& e) {
    ::close(errors[1]);
    fault = e.code().message();
  }
  ::close(errors[0]);
  if (!fault.empty() || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) {
    return fault;
  }
  const auto why = last_line(said);
  return why.empty() ? text_of_end(status) : why;
}

}  // namespace zinc::interop
