#pragma once
// Where one drill is played: its programs as child processes, what they say, and the steps one after the other.

#include "tools/zinc/interop/drill.h"
#include "tools/zinc/interop/output_lines.h"
#include "tools/zinc/interop/programs.h"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace zinc::interop {

// A program on a terminal of its own, so that programs in C write each line when they have it; nothing to read. Its
// process group does not outlive this object, nor this process.
class played_program {
public:
  // Throws std::system_error where there is no terminal or no process left.
  explicit played_program(const std::vector<std::string>& words);
  played_program(const played_program&) = delete;
  played_program& operator=(const played_program&) = delete;
  ~played_program();

  [[nodiscard]] int terminal() const noexcept { return terminal_; }
  // What has come, without waiting; false when the program has ended and all has been read.
  [[nodiscard]] bool read_into(output_lines& lines);
  void signal(int number) const noexcept;
  // SIGKILL, and waits.
  void kill() noexcept;

private:
  ::pid_t id_ = -1;
  int terminal_ = -1;
};

// For a process with one thread.
class stage {
public:
  stage(const programs& ours, const programs& theirs, combination played);

  // To the first step that fails, or to the end. Programs that have said that they make up a crash are started
  // again whenever that comes.
  [[nodiscard]] verdict play(const drill& one);

private:
  using clock = std::chrono::steady_clock;
  struct actor {
    std::vector<std::string> words;
    std::string shown;  // with its side
    output_lines said;
    std::unique_ptr<played_program> process;  // none: it has ended
  };

  void take(const start& what);
  [[nodiscard]] verdict play(const start& what);
  [[nodiscard]] verdict play(const says& what);
  [[nodiscard]] verdict play(const silent& what);
  [[nodiscard]] verdict play(const rests& what);
  [[nodiscard]] verdict play(const sends& what);
  [[nodiscard]] verdict play(const ends& what);
  [[nodiscard]] verdict play(const until& what);
  [[nodiscard]] verdict play(const counts_up& what);
  [[nodiscard]] static verdict missing(const actor& who, const expected_line& line,
                                       std::string_view why);
  // Until `done`, or to the deadline; returns what `done` says.
  [[nodiscard]] bool wait(clock::time_point deadline, const std::function<bool()>& done);
  void read_all(std::chrono::milliseconds patience);

  const programs& ours_;
  const programs& theirs_;
  combination played_;
  std::map<std::string, actor> actors_;
};

}  // namespace zinc::interop
