#include "tools/zinc/status/terminal.h"

#include "tools/zinc/output.h"

#include <cstdio>
#include <sys/ioctl.h>
#include <unistd.h>

namespace zinc::status {

namespace {

constexpr const char* enter = "\x1b[?1049h\x1b[?25l";  // the other screen, without a cursor
constexpr const char* leave = "\x1b[?25h\x1b[?1049l";

}  // namespace

terminal::terminal() {
  write_output(enter);
  ::termios now{};
  if (::tcgetattr(STDOUT_FILENO, &now) == 0) {
    before_ = now;
    // Ctrl-C remains a signal. A stopped program would leave the terminal as it is. This also holds if
    // standard input is something else.
    now.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    now.c_cc[VMIN] = 1;
    now.c_cc[VTIME] = 0;
    now.c_cc[VSUSP] = _POSIX_VDISABLE;
    now.c_cc[VQUIT] = _POSIX_VDISABLE;
    ::tcsetattr(STDOUT_FILENO, TCSANOW, &now);
  }
}

terminal::~terminal() {
  // A terminal that is gone needs nothing.
  std::fputs(leave, stdout);
  std::fflush(stdout);
  if (before_) {
    ::tcsetattr(STDOUT_FILENO, TCSANOW, &*before_);
  }
}

bool terminal::has_keys() const noexcept { return before_ && ::isatty(STDIN_FILENO) == 1; }

terminal::size terminal::now() noexcept {
  ::winsize found{};
  const bool known =
      ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &found) == 0 && found.ws_col != 0 && found.ws_row != 0;
  return known ? size{found.ws_col, found.ws_row} : size{80, 24};
}

void terminal::show(const std::vector<std::string>& lines, std::optional<std::size_t> inverse) {
  std::string text = "\x1b[H";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += i == 0 ? "" : "\n";  // the terminal adds the carriage return
    text += i == inverse ? "\x1b[7m" + lines[i] + "\x1b[0m" : lines[i];
    text += "\x1b[K";
  }
  write_output(text + "\x1b[J");
}

}  // namespace zinc::status
