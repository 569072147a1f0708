#pragma once
// What a drill consists of: programs of the Guide that are started, killed and frozen, and lines that they
// have to say. Words alone; the table is in drills.h, what carries them out in stage.h.

#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace zinc::interop {

// Of a pair, whose program it is.
enum class side {
  server,
  client,
};

// Where a side's programs come from.
enum class origin {
  ours,
  theirs,
};
[[nodiscard]] constexpr std::string_view name_of(origin from) {
  return from == origin::ours ? "ours" : "theirs";
}

// A line that all forms of a program say, the Guide's in C, in Python, and ours.
struct expected_line {
  std::string shown;    // the form of the Guide in C, for people
  std::string pattern;  // ECMAScript, found anywhere in the line, whatever its case
};

// Starts it; if one of this label runs, that one is killed first.
struct start {
  std::string program;
  side of;
  std::vector<std::string> arguments{};
  std::string label{};  // empty: the program's name
};
// A line that has not been used by an earlier step has to come; the lines before it are used up.
struct says {
  std::string label;
  expected_line line;
  std::chrono::seconds within{20};
};
// No such line comes in this time, which begins now, and it does not end.
struct silent {
  std::string label;
  expected_line line;
  std::chrono::milliseconds during;
};
// No such line has come for so long: it is at rest.
struct rests {
  std::string label;
  expected_line line;
  std::chrono::milliseconds during;
  std::chrono::seconds within{20};
};
// With SIGKILL, until it has ended.
struct sends {
  std::string label;
  int signal = SIGKILL;
};
struct ends {
  std::string label;
  std::chrono::seconds within{20};
};
// It is run again and again, until it says the line, or another does who hears of it. What has no end of its own
// is interrupted (SIGINT): the first time after this, and then after twice as long each time.
struct until {
  start what;
  expected_line line;
  std::chrono::seconds within{20};
  std::optional<std::chrono::milliseconds> interrupted{};
  std::string heard_by{};  // a label; empty: its own
};
// What the one capture of the pattern has been in its lines so far is n, n + 1, n + 2, …
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
  // Where the Guide's own programs cannot do what the drill is about.
  std::optional<condition> only_if{};
};

struct pair {
  std::string group;   // of the pattern: lp, sp, …
  std::string server;  // programs of the Guide
  std::string client;
  std::vector<drill> drills;

  [[nodiscard]] std::string name() const {
    return server == client ? server : server + "/" + client;
  }
};

// One way to run a drill: who plays the server and who the client.
struct combination {
  origin server;
  origin client;

  [[nodiscard]] origin of(side which) const { return which == side::server ? server : client; }
  [[nodiscard]] bool meets(const condition& asked) const { return of(asked.of) == asked.from; }
  bool operator==(const combination&) const = default;
};

// The combination that tells whether a failure in a mixed one is theirs.
inline constexpr combination control{origin::theirs, origin::theirs};

enum class outcome {
  passed,
  failed,
  skipped,
};

struct verdict {
  outcome what = outcome::passed;
  std::string reason{};   // of what has not passed
  std::string missing{};  // the line that did not come, as it is shown
};

}  // namespace zinc::interop
