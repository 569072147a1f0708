#pragma once
// Starts child processes. A child leads a process group of its own and ends with its parent.

#include <csignal>
#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace zinc {

// The file of this program, to run its subcommands.
inline constexpr const char* own_program = "/proc/self/exe";

// How a program starts.
struct launch_options {
  static constexpr int nothing = -1;  // /dev/null

  // Descriptors of this process that the program gets as its input, output and error output.
  int input = nothing;
  int output = nothing;
  int errors = nothing;
  // NAME=VALUE, which replaces or extends the environment of this process.
  std::string setting = {};
  // Signal that the program gets when this process ends, even by SIGKILL. The rest of its group gets no signal.
  int parent_end_signal = SIGKILL;
};

// A child process. The destructor kills its group and waits for its end. The child also gets its signal if only
// the thread ends that started it.
class child_process {
public:
  // Runs a program, which is looked up in PATH, with its arguments. No signal is blocked in it, and SIGPIPE has
  // its default action. Throws std::system_error with the name of the program if it cannot run.
  explicit child_process(std::vector<std::string> words, const launch_options& options = {});
  // Runs a function in a copy of this process, which must have one thread. The child exits with its result, and
  // with 1 if it throws. SIGKILL ends the child with its parent. Throws std::system_error.
  explicit child_process(const std::function<int()>& body);
  child_process(child_process&& other) noexcept;
  child_process& operator=(child_process&&) = delete;
  ~child_process();

  // Returns -1 after wait() and release().
  [[nodiscard]] ::pid_t id() const noexcept { return id_; }
  // Sends a signal to the group, unless the process has been waited for.
  void signal(int number) const noexcept;
  // Returns whether the process has ended. wait() then returns at once.
  [[nodiscard]] bool has_ended() const noexcept;
  // Waits for the end and returns the status of waitpid(2). The rest of the group goes on.
  int wait() noexcept;
  // Lets the process go on after this object.
  void release() noexcept { id_ = -1; }

private:
  ::pid_t id_ = -1;
};

// Asks the kernel to send a signal to this process when `parent` ends. A change of the user or of the user
// namespace undoes that. Exits if `parent` has ended.
void end_with(::pid_t parent, int signal) noexcept;

// Returns the text for a status of waitpid(2): "exited with 3", "killed by signal 9".
[[nodiscard]] std::string text_of_end(int status);

}  // namespace zinc
