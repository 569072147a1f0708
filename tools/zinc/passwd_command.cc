// zinc passwd

#include "tools/zinc/passwd_command.h"

#include "tools/zinc/commands.h"
#include "tools/zinc/help.h"
#include "zmtp/authenticators/password_list.h"
#include "zmtp/authenticators/password_list_file.h"
#include "zmtp/curve/secret_bytes.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <span>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <termios.h>
#include <unistd.h>

namespace zinc {

namespace {

constexpr std::size_t longest_password = 255;  // bytes, in HELLO of PLAIN

// The terminal does not show what the user types while this object lives. A signal that ends the
// program restores the terminal first.
class hidden_input {
public:
  hidden_input() {
    if (::tcgetattr(STDIN_FILENO, &before_) != 0) {
      throw std::system_error{errno, std::generic_category(), "cannot hide the password"};
    }
    std::signal(SIGINT, restore_and_end);
    std::signal(SIGTERM, restore_and_end);
    auto hidden = before_;
    hidden.c_lflag &= ~static_cast<::tcflag_t>(ECHO);
    if (::tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) != 0) {
      throw std::system_error{errno, std::generic_category(), "cannot hide the password"};
    }
  }
  hidden_input(const hidden_input&) = delete;
  hidden_input& operator=(const hidden_input&) = delete;
  ~hidden_input() {
    ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
  }

private:
  static void restore_and_end(int number) {
    ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
    std::signal(number, SIG_DFL);
    std::raise(number);
  }

  static inline ::termios before_{};
};

// One line of the standard input, without its end. Is overwritten before its memory is freed.
class typed_line {
public:
  typed_line() {
    char next = 0;
    for (;;) {
      const auto count = ::read(STDIN_FILENO, &next, 1);
      if (count < 0 && errno == EINTR) {
        continue;
      }
      if (count < 0) {
        throw std::system_error{errno, std::generic_category(), "cannot read the password"};
      }
      if (count == 0 && size_ == 0) {
        throw std::runtime_error{"no password; type it, or write it to the standard input"};
      }
      if (count == 0 || next == '\n') {
        return;
      }
      if (size_ == longest_password) {
        throw std::runtime_error{"the password has more than 255 bytes; choose a shorter one"};
      }
      bytes_[size_++] = next;
    }
  }
  typed_line(const typed_line&) = delete;
  typed_line& operator=(const typed_line&) = delete;
  ~typed_line() { zmtp::wipe(std::as_writable_bytes(std::span{bytes_})); }

  [[nodiscard]] std::string_view text() const noexcept { return {bytes_.data(), size_}; }

private:
  std::array<char, longest_password> bytes_{};
  std::size_t size_ = 0;
};

void ask(const char* what) { fmt::print(stderr, "{}: ", what); }

void set_typed_password(const passwd_arguments& arguments) {
  if (::isatty(STDIN_FILENO) == 0) {
    const typed_line password;
    zmtp::set_password(arguments.file, arguments.user, password.text());
    return;
  }
  const hidden_input hidden;
  ask("password");
  const typed_line password;
  ask("\nthe same again");
  const typed_line again;
  fmt::print(stderr, "\n");
  if (password.text() != again.text()) {
    throw std::runtime_error{"the passwords differ; nothing was changed"};
  }
  zmtp::set_password(arguments.file, arguments.user, password.text());
}

}  // namespace

void add_passwd(CLI::App& app, passwd_arguments& to) {
  set_help(app,
           {.summary = "Sets the password of a user for PLAIN.",
            .details = "Reads the password from the terminal without showing it, or else the first "
                       "line of the standard input. Writes its Argon2id hash to FILE, which only "
                       "you can read. Servers that use FILE notice the change.",
            .examples = {"zinc passwd users alice", "zinc passwd users alice --remove"},
            .done = "changed",
            .failed = "no such user, or FILE cannot be changed"});
  app.add_option("FILE", to.file, "file of users and password hashes")->required();
  app.add_option_function<std::string>(
         "USER",
         [&to](const std::string& user) {
           if (const auto fault = zmtp::fault_of_user(user)) {
             throw CLI::ValidationError{"USER", *fault};
           }
           to.user = user;
         },
         "name of the user")
      ->required();
  app.add_flag("--remove", to.remove, "remove the user instead");
}

int run_passwd(const passwd_arguments& arguments) {
  try {
    if (!arguments.remove) {
      set_typed_password(arguments);
    } else if (!zmtp::remove_user(arguments.file, arguments.user)) {
      fmt::print(stderr, "zinc passwd: {} has no user {}; check the name\n", arguments.file,
                 arguments.user);
      return exit_code::failed;
    }
  } catch (const std::runtime_error& e) {
    fmt::print(stderr, "zinc passwd: {}\n", e.what());
    return exit_code::failed;
  }
  return exit_code::done;
}

}  // namespace zinc
