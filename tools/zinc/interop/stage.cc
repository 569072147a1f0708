#include "tools/zinc/interop/stage.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <poll.h>
#include <system_error>
#include <termios.h>
#include <unistd.h>
#include <utility>
#include <variant>

namespace zinc::interop {

namespace {

using namespace std::chrono_literals;

constexpr auto pace = 200ms;  // between two runs of a program
const expected_line made_up_crash{"I: simulating a crash", "simulating a crash"};

[[noreturn]] void fail(const char* what) {
  throw std::system_error{errno, std::generic_category(), what};
}

const std::string& label_of(const start& what) {
  return what.label.empty() ? what.program : what.label;
}

template <class... Args>
verdict failed(fmt::format_string<Args...> reason, Args&&... args) {
  return {.what = outcome::failed, .reason = fmt::format(reason, std::forward<Args>(args)...)};
}

struct terminal_ends {
  int ours;
  int theirs;
};

terminal_ends open_terminal() {
  const int ours = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (ours < 0) {
    fail("posix_openpt");
  }
  std::array<char, 128> name{};
  const int theirs = ::grantpt(ours) == 0 && ::unlockpt(ours) == 0 &&
                             ::ptsname_r(ours, name.data(), name.size()) == 0
                         ? ::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC)
                         : -1;
  if (theirs < 0) {
    const auto fault = errno;
    ::close(ours);
    errno = fault;
    fail("pseudo terminal");
  }
  return {ours, theirs};
}

}  // namespace

played_program::played_program(const std::vector<std::string>& words) {
  const auto ends = open_terminal();
  terminal_ = ends.ours;
  try {
    process_.emplace(words, launch_options{.output = ends.theirs, .errors = ends.theirs});
  } catch (...) {
    ::close(ends.theirs);
    ::close(terminal_);
    throw;
  }
  ::close(ends.theirs);
}

played_program::~played_program() {
  kill();
  ::close(terminal_);
}

bool played_program::read_into(output_lines& lines) {
  std::array<char, 4096> bytes{};
  for (;;) {
    const auto count = ::read(terminal_, bytes.data(), bytes.size());
    if (count > 0) {
      lines.add({bytes.data(), static_cast<std::size_t>(count)});
    } else if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
      return true;
    } else {
      // EIO: no process has the other end open.
      lines.end();
      return false;
    }
  }
}

void played_program::signal(int number) const noexcept {
  if (process_) {
    process_->signal(number);
  }
}

void played_program::kill() noexcept { process_.reset(); }

stage::stage(const programs& ours, const programs& theirs, combination played)
    : ours_{ours}, theirs_{theirs}, played_{played} {}

verdict stage::play(const drill& one) {
  for (const auto& s : one.steps) {
    if (s.only_if && !played_.meets(*s.only_if)) {
      continue;
    }
    auto found = std::visit([this](const auto& is) { return play(is); }, s.what);
    if (found.what != outcome::passed) {
      return found;
    }
  }
  return {};
}

void stage::take(const start& what) {
  const auto from = played_.of(what.of);
  auto& it = actors_[label_of(what)];
  it.process.reset();
  it.said.end();
  it.said.use_up();
  it.words = (from == origin::ours ? ours_ : theirs_).command(what.program).value();
  it.words.insert(it.words.end(), what.arguments.begin(), what.arguments.end());
  it.shown = fmt::format("{} ({})", what.program, name_of(from));
  it.process = std::make_unique<played_program>(it.words);
}

verdict stage::play(const start& what) {
  take(what);
  return {};
}

verdict stage::play(const says& what) {
  auto& who = actors_.at(what.label);
  static_cast<void>(
      wait(clock::now() + what.within, [&] { return who.said.has(what.line) || !who.process; }));
  return who.said.take(what.line)
             ? verdict{}
             : missing(who, what.line,
                       who.process ? fmt::format("was silent for {}", what.within) : "has ended");
}

verdict stage::play(const silent& what) {
  auto& who = actors_.at(what.label);
  read_all(0ms);
  who.said.use_up();
  if (!wait(clock::now() + what.during, [&] { return who.said.has(what.line) || !who.process; })) {
    return {};
  }
  return failed("{} {}: {}", who.shown,
                who.said.has(what.line) ? "said what it must not" : "has ended", who.said.last());
}

verdict stage::play(const rests& what) {
  auto& who = actors_.at(what.label);
  const auto until = clock::now() + what.within;
  do {
    who.said.use_up();
    if (!wait(clock::now() + what.during, [&] { return who.said.has(what.line); })) {
      return {};
    }
  } while (clock::now() < until);
  return failed("{} did not come to rest in {}", who.shown, what.within);
}

verdict stage::play(const sends& what) {
  auto& who = actors_.at(what.label);
  if (who.process && what.signal == SIGKILL) {
    who.process->kill();
    static_cast<void>(who.process->read_into(who.said));
    who.process.reset();
  } else if (who.process) {
    who.process->signal(what.signal);
  }
  return {};
}

verdict stage::play(const ends& what) {
  auto& who = actors_.at(what.label);
  return wait(clock::now() + what.within, [&] { return !who.process; })
             ? verdict{}
             : failed("{} did not end in {}", who.shown, what.within);
}

verdict stage::play(const until& what) {
  const auto deadline = clock::now() + what.within;
  auto timeout = what.interrupted;
  for (;;) {
    take(what.what);
    auto& who = actors_.at(label_of(what.what));
    auto& received = what.heard_by.empty() ? who : actors_.at(what.heard_by);
    const auto is_over = [&] { return received.said.has(what.line) || !who.process; };
    if (timeout && !wait(std::min(clock::now() + *timeout, deadline), is_over)) {
      who.process->signal(SIGINT);
      timeout = 2 * *timeout;
    }
    static_cast<void>(wait(deadline, is_over));
    if (received.said.take(what.line)) {
      return {};
    }
    if (clock::now() >= deadline) {
      return missing(received, what.line, fmt::format("did not say it in {}", what.within));
    }
    static_cast<void>(wait(std::min(clock::now() + pace, deadline), [] { return false; }));
  }
}

verdict stage::play(const counts_up& what) {
  const auto& who = actors_.at(what.label);
  const auto numbers = who.said.numbers(what.line);
  return count_up(numbers) ? verdict{}
                           : failed("the numbers of {} are not one after the other: {}", who.shown,
                                    fmt::join(numbers, " "));
}

verdict stage::missing(const actor& who, const expected_line& line, std::string_view why) {
  const auto last = who.said.last();
  auto found =
      failed("{} {}{}", who.shown, why,
             last.empty() ? " and said nothing" : fmt::format("; its last line: {}", last));
  found.missing = line.shown;
  return found;
}

bool stage::wait(clock::time_point deadline, const std::function<bool()>& done) {
  for (;;) {
    if (done()) {
      return true;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - clock::now());
    if (left <= 0ms) {
      return false;
    }
    read_all(left);
  }
}

void stage::read_all(std::chrono::milliseconds timeout) {
  std::vector<::pollfd> waited;
  std::vector<actor*> whose;
  for (auto& [label, one] : actors_) {
    if (one.process) {
      waited.push_back({one.process->terminal(), POLLIN, 0});
      whose.push_back(&one);
    }
  }
  ::poll(waited.data(), waited.size(), static_cast<int>(timeout.count()));
  for (std::size_t i = 0; i < waited.size(); ++i) {
    auto& one = *whose[i];
    if (waited[i].revents == 0 || one.process->read_into(one.said)) {
      continue;
    }
    one.process.reset();
    if (one.said.last_is(made_up_crash)) {
      one.process = std::make_unique<played_program>(one.words);
    }
  }
}

}  // namespace zinc::interop
