#include "tools/zinc/interop/drill_process.h"

#include "tools/zinc/interop/drills.h"
#include "tools/zinc/interop/isolation.h"
#include "tools/zinc/interop/stage.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace zinc::interop {

namespace {

namespace fs = std::filesystem;

// Separates the parts of a verdict, which do not contain it.
constexpr char separator = '\0';

std::string written(const verdict& found) {
  std::string text = found.what == outcome::passed ? "passed" : "failed";
  return text + separator + found.reason + separator + found.missing + separator;
}

void write_all(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(to, bytes.data(), bytes.size());
    if (written <= 0) {
      return;
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

verdict play_alone(const drill& one, combination played, const programs& ours,
                   const programs& theirs, bool isolated, const std::string& folder) {
  try {
    const auto parent = ::getppid();
    if (const auto why = isolated ? leave_network() : std::string{}; !why.empty()) {
      return {.what = outcome::failed, .reason = why};
    }
    // A process whose rights change no longer gets the signal of its parent's end.
    end_with(parent, SIGKILL);
    fs::current_path(folder);
    ::setenv("PYTHONUNBUFFERED", "1", 1);
    ::setenv(count_variable, std::to_string(short_count).c_str(), 1);
    stage scene{ours, theirs, played};
    return scene.play(one);
  } catch (const std::exception& e) {
    return {.what = outcome::failed, .reason = e.what()};
  }
}

}  // namespace

drill_process::drill_process(const drill& one, combination played, const programs& ours,
                             const programs& theirs, bool isolated)
    : folder_{(fs::temp_directory_path() / "zinc-interop-XXXXXX").string()} {
  std::array<int, 2> ends{};
  if (::mkdtemp(folder_.data()) == nullptr || ::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::system_error{errno, std::generic_category(), folder_};
  }
  verdict_ = ends[0];
  try {
    process_.emplace([&] {
      ::signal(SIGPIPE, SIG_IGN);
      write_all(ends[1], written(play_alone(one, played, ours, theirs, isolated, folder_)));
      return 0;
    });
  } catch (...) {
    ::close(ends[1]);
    ::close(verdict_);
    throw;
  }
  ::close(ends[1]);
}

drill_process::~drill_process() {
  // The programs of the drill end with its process, because the kernel signals them.
  process_.reset();
  ::close(verdict_);
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

bool drill_process::read() {
  std::array<char, 4096> bytes{};
  const auto count = ::read(verdict_, bytes.data(), bytes.size());
  if (count > 0) {
    read_.append(bytes.data(), static_cast<std::size_t>(count));
  }
  return count == 0 || (count < 0 && errno != EINTR);
}

verdict drill_process::found() const {
  std::istringstream parts{read_};
  std::string what;
  verdict found;
  if (!std::getline(parts, what, separator) || !std::getline(parts, found.reason, separator) ||
      !std::getline(parts, found.missing, separator)) {
    return {.what = outcome::failed, .reason = "the process of the drill ended without a result"};
  }
  found.what = what == "passed" ? outcome::passed : outcome::failed;
  return found;
}

}  // namespace zinc::interop
