#include "tools/zinc/interop_command.h"

#include "tools/zinc/commands.h"
#include "tools/zinc/help.h"
#include "tools/zinc/interop/drill_process.h"
#include "tools/zinc/interop/drills.h"
#include "tools/zinc/interop/isolation.h"
#include "tools/zinc/interop/programs.h"
#include "tools/zinc/interop/python_check.h"
#include "tools/zinc/interop/results.h"
#include "tools/zinc/option_values.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <poll.h>
#include <set>
#include <stdexcept>
#include <sys/signalfd.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace zinc {

namespace {

using namespace std::chrono_literals;
using namespace interop;
using clock = std::chrono::steady_clock;

// Each step of a drill has its own deadline. This one is for a drill that hangs between two steps.
constexpr auto drill_deadline = 300s;

struct task {
  const drill* what;
  result* into;
};

struct running_drill {
  std::unique_ptr<drill_process> process;
  result* into;
  clock::time_point until;
};

class matrix {
public:
  explicit matrix(const interop_arguments& arguments)
      : pairs_{chosen_pairs(arguments.pairs)},
        control_{arguments.control},
        ours_{arguments.ours.empty() ? folder_of_ours() : arguments.ours, arguments.python,
              origin::ours},
        theirs_{arguments.theirs, arguments.python, origin::theirs} {
    lay_out();
  }

  // Returns false if a signal stopped it.
  [[nodiscard]] bool play(unsigned jobs, bool isolated) {
    ::sigset_t stops;
    ::sigemptyset(&stops);
    ::sigaddset(&stops, SIGINT);
    ::sigaddset(&stops, SIGTERM);
    ::sigprocmask(SIG_BLOCK, &stops, nullptr);
    const int stopped = ::signalfd(-1, &stops, SFD_CLOEXEC);
    std::vector<running_drill> running;
    auto next = tasks_.begin();
    bool whole = true;
    while (whole && (next != tasks_.end() || !running.empty())) {
      for (; running.size() < jobs && next != tasks_.end(); ++next) {
        running.push_back({std::make_unique<drill_process>(*next->what, next->into->played, ours_,
                                                           theirs_, isolated),
                           next->into, clock::now() + drill_deadline});
      }
      whole = !wait(stopped, running);
    }
    running.clear();
    // A pending signal would end this process.
    ::signalfd_siginfo taken{};
    if (!whole && ::read(stopped, &taken, sizeof taken) < 0) {
      throw std::system_error{errno, std::generic_category(), "signalfd"};
    }
    ::close(stopped);
    ::sigprocmask(SIG_UNBLOCK, &stops, nullptr);
    compare_with_control(results_);
    return whole;
  }

  [[nodiscard]] const std::vector<result>& results() const noexcept { return results_; }

  // Returns whether a drill runs a program that imports zmq.
  [[nodiscard]] bool needs_pyzmq() const {
    return std::any_of(tasks_.begin(), tasks_.end(), [this](const task& one) {
      for (const auto which : {side::server, side::client}) {
        const auto& held = one.into->played.of(which) == origin::ours ? ours_ : theirs_;
        const auto needed = programs_of(*one.what, which);
        if (std::any_of(needed.begin(), needed.end(),
                        [&](const auto& program) { return held.needs_pyzmq(program); })) {
          return true;
        }
      }
      return false;
    });
  }

private:
  void lay_out() {
    std::vector<std::pair<const drill*, std::size_t>> places;
    for (const auto& pair : pairs_) {
      for (const auto& one : pair.drills) {
        for (const auto played : combinations_of(one)) {
          if (!control_ && played == control) {
            continue;
          }
          add(pair, one, played);
          places.emplace_back(&one, results_.size() - 1);
        }
      }
    }
    for (const auto& [what, place] : places) {
      if (results_[place].found.what != outcome::skipped) {
        tasks_.push_back({what, &results_[place]});
      }
    }
  }

  void add(const pair& of, const drill& one, combination played) {
    result made{of.group, of.name(), one.name, {}, {}, played, {}};
    for (const auto which : {side::server, side::client}) {
      const auto needed = programs_of(one, which);
      const auto& held = played.of(which) == origin::ours ? ours_ : theirs_;
      if (!needed.empty()) {
        (which == side::server ? made.server : made.client) =
            which == side::server ? of.server : of.client;
      }
      for (const auto& program : needed) {
        if (!held.holds(program)) {
          made.found.what = outcome::skipped;
          made.found.reason += fmt::format(
              "{}{} {} no {}", made.found.reason.empty() ? "" : ", ", name_of(played.of(which)),
              played.of(which) == origin::ours ? "has" : "have", program);
        }
      }
    }
    results_.push_back(std::move(made));
  }

  // Waits until a drill ends. Returns whether a signal stopped the wait.
  static bool wait(int stopped, std::vector<running_drill>& running) {
    std::vector<::pollfd> waited{{stopped, POLLIN, 0}};
    auto first = clock::time_point::max();
    for (const auto& one : running) {
      waited.push_back({one.process->descriptor(), POLLIN, 0});
      first = std::min(first, one.until);
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(first - clock::now());
    ::poll(waited.data(), waited.size(), static_cast<int>(std::max(left, 0ms).count()));
    for (std::size_t i = running.size(); i-- > 0;) {
      auto& one = running[i];
      if (waited[i + 1].revents != 0 && one.process->read()) {
        one.into->found = one.process->found();
      } else if (clock::now() >= one.until) {
        one.into->found = {.what = outcome::failed,
                           .reason = fmt::format("timeout: the drill did not end within {}s",
                                                 drill_deadline.count())};
      } else {
        continue;
      }
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return waited.front().revents != 0;
  }

  std::vector<pair> pairs_;
  bool control_;
  programs ours_;
  programs theirs_;
  std::vector<result> results_;
  std::vector<task> tasks_;
};

int list_pairs(const std::vector<pair>& pairs) {
  for (const auto& one : pairs) {
    for (const auto& d : one.drills) {
      fmt::print("{:<10}{:<24}{}\n", one.group, one.name(), d.name);
    }
  }
  return exit_code::done;
}

int play_matrix(const interop_arguments& arguments) {
  matrix all{arguments};
  if (all.needs_pyzmq()) {
    if (const auto why = why_no_pyzmq(arguments.python); !why.empty()) {
      fmt::print(stderr,
                 "zinc interop: {} cannot import zmq: {}; install pyzmq for it, or give another "
                 "interpreter with --python\n",
                 arguments.python, why);
      return exit_code::misused;
    }
  }
  const auto why = why_not_isolated();
  const auto notice = why.empty()
                          ? std::string{}
                          : fmt::format(
                                "drills share the network of this machine: {}; they run one after "
                                "the other",
                                why);
  if (!notice.empty()) {
    fmt::print(stderr, "zinc interop: {}\n", notice);
  }
  if (!all.play(why.empty() ? arguments.jobs : 1, why.empty())) {
    fmt::print(stderr, "zinc interop: stopped by a signal\n");
    return exit_code::failed;
  }
  fmt::print("{}", arguments.json ? json_of(all.results(), notice) : table_of(all.results()));
  return count_of(all.results(), outcome::failed) == 0 ? exit_code::done : exit_code::failed;
}

}  // namespace

void add_interop(CLI::App& app, interop_arguments& to) {
  set_help(app,
           {.summary = "Runs the Guide's programs and Zinc's against each other.",
            .details = "Runs the drills of each pattern in all combinations of both sides.",
            .examples = {"zinc interop --theirs ~/zguide/examples/Python --python python3",
                         "zinc interop --theirs ~/zguide/examples/C --pairs lp,ppqueue/lpclient",
                         "zinc interop --list"},
            .done = "no drill failed",
            .failed = "a drill failed, or stopped by a signal"});
  const auto add_folder = [&app](const std::string& name, std::string& value,
                                 const std::string& text) {
    app.add_option(name, value, text)
        ->check([](const std::string& folder) {
          std::error_code ec;
          return std::filesystem::is_directory(folder, ec)
                     ? std::string{}
                     : fmt::format("'{}' is not a directory; give one with programs", folder);
        })
        ->type_name("DIR");
  };
  add_folder("--theirs", to.theirs, "directory with the programs to test, in C or in Python");
  add_folder("--ours", to.ours,
             "directory with Zinc's programs of the same names [the installed or built ones]");
  app.add_option("--pairs", to.pairs, "names of pairs or of groups of pairs [all]")
      ->delimiter(',')
      ->type_name("NAME,...");
  app.add_option("--python", to.python, "interpreter for programs whose names end with .py")
      ->type_name("PROGRAM")
      ->capture_default_str();
  add_number(app, "--jobs", to.jobs, "drills that run in parallel, each in its own network",
             {.least = 1, .most = 1'000});
  app.add_flag_callback(
      "--no-control", [&to] { to.control = false; },
      "leave out the combinations without a program of Zinc");
  app.add_flag("--json", to.json, "print JSON");
  app.add_flag("--list", to.list, "print the groups, the pairs and their drills, then exit");
}

int run_interop(const interop_arguments& arguments) {
  try {
    if (arguments.list) {
      return list_pairs(chosen_pairs(arguments.pairs));
    }
    if (arguments.theirs.empty()) {
      fmt::print(stderr, "zinc interop: --theirs is required; give a directory with programs\n");
      return exit_code::misused;
    }
    return play_matrix(arguments);
  } catch (const std::invalid_argument& e) {
    fmt::print(stderr, "zinc interop: {}\n", e.what());
    return exit_code::misused;
  }
}

}  // namespace zinc
