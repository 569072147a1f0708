#pragma once
// The steps of a drill: start, kill and freeze programs of the Guide, and wait for lines of their output. drills.h
// has the table of drills, and stage.h runs them.

#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace zinc::interop {

// The side of a pair that has a program.
enum class side {
  server,
  client,
};

// The origin of the programs of a side.
enum class origin {
  ours,
  theirs,
};
[[nodiscard]] constexpr std::string_view name_of(origin from) {
  return from == origin::ours ? "ours" : "theirs";
}

// A line that all forms of a program print: the Guide's in C and in Python, and Zinc's.
struct expected_line {
  std::string shown;    // the form of the Guide in C, for reports
  std::string pattern;  // ECMAScript, found anywhere in the line, in any case
};

// Starts a program. A program that runs under this label is killed first.
struct start {
  std::string program;
  side of;
  std::vector<std::string> arguments{};
  std::string label{};  // empty: the program's name
};
// Waits for a line that no earlier step consumed. Consumes the lines before it too.
struct says {
  std::string label;
  expected_line line;
  std::chrono::seconds within{20};
};
// Checks that the program prints no such line for this time, and does not end.
struct silent {
  std::string label;
  expected_line line;
  std::chrono::milliseconds during;
};
// Waits until the program has printed no such line for this time.
struct rests {
  std::string label;
  expected_line line;
  std::chrono::milliseconds during;
  std::chrono::seconds within{20};
};
// Sends a signal. After SIGKILL, waits for the end of the program.
struct sends {
  std::string label;
  int signal = SIGKILL;
};
struct ends {
  std::string label;
  std::chrono::seconds within{20};
};
// Runs the program repeatedly until it, or the program `heard_by`, prints the line. A program that does not end by
// itself gets SIGINT after `interrupted`, which doubles each time.
struct until {
  start what;
  expected_line line;
  std::chrono::seconds within{20};
  std::optional<std::chrono::milliseconds> interrupted{};
  std::string heard_by{};  // a label; empty: that of the program
};
// Checks that the capture of the pattern counts n, n + 1, n + 2, … in the lines so far.
struct counts_up {
  std::string label;
  expected_line line;
};

using action = std::variant<start, says, silent, rests, sends, ends, until, counts_up>;

struct condition {
  side of;
  origin from;
};

struct step {
  // NOLINTNEXTLINE(google-explicit-constructor): a table is made of them
  template <class Action>
  step(Action does) : what{std::move(does)} {}
  template <class Action>
  step(condition if_so, Action does) : what{std::move(does)}, only_if{if_so} {}

  action what;
  std::optional<condition> only_if{};
};

struct drill {
  std::string name;
  std::vector<step> steps;
  // The combinations in which the Guide's programs cannot pass.
  std::optional<condition> only_if{};
};

struct pair {
  std::string group;   // the pattern: lp, sp, …
  std::string server;  // programs of the Guide
  std::string client;
  std::vector<drill> drills;

  [[nodiscard]] std::string name() const {
    return server == client ? server : server + "/" + client;
  }
};

// One way to run a drill: the origins of the server and of the client.
struct combination {
  origin server;
  origin client;

  [[nodiscard]] origin of(side which) const { return which == side::server ? server : client; }
  [[nodiscard]] bool meets(const condition& asked) const { return of(asked.of) == asked.from; }
  bool operator==(const combination&) const = default;
};

// The combination without a program of Zinc. If it fails too, a mixed failure is not Zinc's.
inline constexpr combination control{origin::theirs, origin::theirs};

enum class outcome {
  passed,
  failed,
  skipped,
};

struct verdict {
  outcome what = outcome::passed;
  std::string reason{};   // empty: passed
  std::string missing{};  // the line that was not printed, in its shown form
};

}  // namespace zinc::interop
