#pragma once
// Runs one drill: its programs as child processes, their output, and the steps in order.

#include "tools/zinc/interop/drill.h"
#include "tools/zinc/interop/output_lines.h"
#include "tools/zinc/interop/programs.h"
#include "tools/zinc/launcher.h"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zinc::interop {

// A program on its own terminal, so that programs in C write each line immediately. It has no input. Its process
// group ends with this object.
class played_program {
public:
  // Throws std::system_error if it cannot create the terminal or the process.
  explicit played_program(const std::vector<std::string>& words);
  played_program(const played_program&) = delete;
  played_program& operator=(const played_program&) = delete;
  ~played_program();

  [[nodiscard]] int terminal() const noexcept { return terminal_; }
  // Reads the available output. Returns false when the program has ended and all output has been read.
  [[nodiscard]] bool read_into(output_lines& lines);
  void signal(int number) const noexcept;
  // Sends SIGKILL and waits for the end.
  void kill() noexcept;

private:
  std::optional<child_process> process_;
  int terminal_ = -1;
};

// The process must have one thread.
class stage {
public:
  stage(const programs& ours, const programs& theirs, combination played);

  // Runs the steps until one fails. Restarts programs that print that they simulate a crash.
  [[nodiscard]] verdict play(const drill& one);

private:
  using clock = std::chrono::steady_clock;
  struct actor {
    std::vector<std::string> words;
    std::string shown;  // the name with the side
    output_lines said;
    std::unique_ptr<played_program> process;  // null: the program has ended
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
  // Waits until `done` returns true or the deadline passes. Returns the result of `done`.
  [[nodiscard]] bool wait(clock::time_point deadline, const std::function<bool()>& done);
  void read_all(std::chrono::milliseconds timeout);

  const programs& ours_;
  const programs& theirs_;
  combination played_;
  std::map<std::string, actor> actors_;
};

}  // namespace zinc::interop
