#include "tools/zinc/launcher.h"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace zinc {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds deadline = 20s;

// A pipe. The reader gets the end of the output when every process with the writing end has ended.
class channel {
public:
  channel() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) {
      throw std::system_error{errno, std::generic_category(), "pipe"};
    }
  }
  channel(const channel&) = delete;
  channel& operator=(const channel&) = delete;
  ~channel() {
    close_writer();
    ::close(ends_[0]);
  }

  [[nodiscard]] int reader() const noexcept { return ends_[0]; }
  [[nodiscard]] int writer() const noexcept { return ends_[1]; }
  void close_writer() noexcept {
    if (ends_[1] != -1) {
      ::close(ends_[1]);
      ends_[1] = -1;
    }
  }
  void write(std::string_view bytes) const {
    ASSERT_EQ(::write(ends_[1], bytes.data(), bytes.size()), static_cast<::ssize_t>(bytes.size()));
  }
  // Reads to the end, or to the end of the first line.
  [[nodiscard]] std::string read_all() const { return read(false); }
  [[nodiscard]] std::string read_line() const { return read(true); }

private:
  [[nodiscard]] std::string read(bool line) const {
    std::string all;
    for (std::array<char, 4096> bytes{};;) {
      ::pollfd waited{ends_[0], POLLIN, 0};
      if (::poll(&waited, 1, static_cast<int>(deadline.count())) != 1) {
        ADD_FAILURE() << "no end of the output after " << all.size() << " bytes";
        return all;
      }
      const auto count = ::read(ends_[0], bytes.data(), line ? 1 : bytes.size());
      if (count <= 0) {
        return all;
      }
      all.append(bytes.data(), static_cast<std::size_t>(count));
      if (line && all.back() == '\n') {
        return all;
      }
    }
  }

  std::array<int, 2> ends_{};
};

std::vector<std::string> shell(const std::string& script) { return {"sh", "-c", script}; }

// Waits until the process has ended. Does not take its status.
void await_end(const child_process& child) {
  for (const auto end = std::chrono::steady_clock::now() + deadline; !child.has_ended();) {
    ASSERT_LT(std::chrono::steady_clock::now(), end);
    ::sched_yield();
  }
}

std::string end_of(child_process child) { return text_of_end(child.wait()); }

// Runs a script to its end and returns its output.
std::string output_of(const std::string& script, launch_options options = {}) {
  channel output;
  options.output = output.writer();
  child_process child{shell(script), options};
  output.close_writer();
  return output.read_all();
}

TEST(launcher, returns_the_exit_code_of_a_program) {
  EXPECT_EQ(end_of(child_process{shell("exit 3")}), "exited with 3");
}

TEST(launcher, returns_the_signal_that_killed_a_program) {
  child_process child{{"sleep", "1000"}};
  child.signal(SIGKILL);
  EXPECT_EQ(text_of_end(child.wait()), "killed by signal 9");
  EXPECT_EQ(child.id(), -1);
}

TEST(launcher, notices_the_end_without_taking_the_status) {
  child_process child{{"sleep", "1000"}};
  EXPECT_FALSE(child.has_ended());
  child.signal(SIGTERM);
  await_end(child);
  EXPECT_TRUE(child.has_ended());
  EXPECT_EQ(text_of_end(child.wait()), "killed by signal 15");
}

TEST(launcher, names_a_program_that_does_not_exist) {
  for (const std::string name : {"/no/such/program", "no-such-program-in-path"}) {
    try {
      const child_process child{{name, "argument"}};
      ADD_FAILURE() << name << " runs";
    } catch (const std::system_error& e) {
      EXPECT_EQ(e.code(), std::errc::no_such_file_or_directory);
      EXPECT_EQ(std::string{e.what()}, "cannot run '" + name + "': No such file or directory");
    }
  }
}

TEST(launcher, names_a_file_that_is_not_executable) {
  try {
    const child_process child{{"/dev/null"}};
    ADD_FAILURE() << "it runs";
  } catch (const std::system_error& e) {
    EXPECT_EQ(e.code(), std::errc::permission_denied);
  }
}

TEST(launcher, leaves_no_process_of_a_program_that_cannot_run) {
  EXPECT_THROW(child_process{{"/no/such/program"}}, std::system_error);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(launcher, connects_input_output_and_errors) {
  channel input;
  channel output;
  channel errors;
  const child_process child{
      shell("cat; echo wrong >&2"),
      {.input = input.reader(), .output = output.writer(), .errors = errors.writer()}};
  output.close_writer();
  errors.close_writer();
  input.write("question");
  input.close_writer();
  EXPECT_EQ(output.read_all(), "question");
  EXPECT_EQ(errors.read_all(), "wrong\n");
}

TEST(launcher, passes_output_longer_than_a_pipe) {
  EXPECT_EQ(output_of("head -c 1000000 /dev/zero"), std::string(1'000'000, '\0'));
}

TEST(launcher, gives_no_input_and_drops_output_by_default) {
  EXPECT_EQ(end_of(child_process{shell("read line")}), "exited with 1");
  const std::string to_null =
      "test /proc/self/fd/0 -ef /dev/null && test /proc/self/fd/1 -ef /dev/null && "
      "test /proc/self/fd/2 -ef /dev/null";
  EXPECT_EQ(end_of(child_process{shell(to_null)}), "exited with 0");
}

// The descriptors of a parent without standard descriptors are those that the child replaces.
TEST(launcher, connects_descriptors_of_a_parent_without_standard_ones) {
  child_process parent{[] {
    for (const int one : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
      ::close(one);
    }
    channel output;
    const child_process child{shell("echo here"),
                              {.input = output.writer(), .output = output.writer()}};
    output.close_writer();
    return output.read_line() == "here\n" ? 0 : 1;
  }};
  EXPECT_EQ(text_of_end(parent.wait()), "exited with 0");
}

TEST(launcher, replaces_a_setting_of_the_environment) {
  ::setenv("ZINC_LAUNCHER_TEST", "before", 1);
  ::setenv("ZINC_LAUNCHER_TEST_2", "kept", 1);
  const auto shown =
      output_of("env | grep ZINC_LAUNCHER_TEST | sort", {.setting = "ZINC_LAUNCHER_TEST=after"});
  EXPECT_EQ(shown, "ZINC_LAUNCHER_TEST=after\nZINC_LAUNCHER_TEST_2=kept\n");
  EXPECT_STREQ(std::getenv("ZINC_LAUNCHER_TEST"), "before");
}

TEST(launcher, starts_programs_with_default_signals) {
  child_process parent{[] {
    std::signal(SIGPIPE, SIG_IGN);
    ::sigset_t blocked;
    ::sigemptyset(&blocked);
    ::sigaddset(&blocked, SIGTERM);
    ::sigprocmask(SIG_BLOCK, &blocked, nullptr);
    return end_of(child_process{shell("kill -PIPE $$")}) == "killed by signal 13" &&
                   end_of(child_process{shell("kill -TERM $$")}) == "killed by signal 15"
               ? 0
               : 1;
  }};
  EXPECT_EQ(text_of_end(parent.wait()), "exited with 0");
}

TEST(launcher, ends_the_whole_group) {
  channel output;
  std::optional<child_process> child{std::in_place, shell("sleep 1000 & echo up; wait"),
                                     launch_options{.output = output.writer()}};
  output.close_writer();
  EXPECT_EQ(output.read_line(), "up\n");
  child.reset();
  EXPECT_EQ(output.read_all(), "");
}

TEST(launcher, signals_the_rest_of_the_group_after_the_end_of_the_program) {
  channel output;
  child_process child{shell("sleep 1000 & echo up"), {.output = output.writer()}};
  output.close_writer();
  EXPECT_EQ(output.read_line(), "up\n");
  await_end(child);
  child.signal(SIGKILL);
  EXPECT_EQ(output.read_all(), "");
  EXPECT_EQ(text_of_end(child.wait()), "exited with 0");
}

TEST(launcher, lets_a_released_program_go_on) {
  channel output;
  channel input;
  ::pid_t id = -1;
  {
    child_process child{{"cat"}, {.input = input.reader(), .output = output.writer()}};
    id = child.id();
    child.release();
  }
  output.close_writer();
  input.write("later");
  input.close_writer();
  EXPECT_EQ(output.read_all(), "later");
  int status = 0;
  EXPECT_EQ(::waitpid(id, &status, 0), id);
  EXPECT_EQ(text_of_end(status), "exited with 0");
}

// Runs a parent that starts the script, waits for the line "up" and kills the parent.
// Returns the further output.
std::string output_after_the_parent(const std::string& script, int parent_end_signal) {
  channel output;
  child_process parent{[&] {
    const child_process child{shell(script),
                              {.output = output.writer(), .parent_end_signal = parent_end_signal}};
    return ::pause();
  }};
  output.close_writer();
  EXPECT_EQ(output.read_line(), "up\n");
  ::kill(parent.id(), SIGKILL);
  return output.read_all();
}

TEST(launcher, ends_a_program_with_its_parent) {
  EXPECT_EQ(output_after_the_parent("trap 'echo term' TERM; echo up; exec sleep 1000", SIGKILL),
            "");
}

TEST(launcher, ends_a_program_with_its_parent_by_another_signal) {
  EXPECT_EQ(output_after_the_parent("sleep 1000 >/dev/null & "
                                    "trap \"kill $!; echo term; exit\" TERM; echo up; wait",
                                    SIGTERM),
            "term\n");
}

TEST(launcher, ends_a_function_with_its_parent) {
  channel output;
  child_process parent{[&] {
    const child_process child{[&] {
      output.write("up\n");
      return ::pause();
    }};
    return ::pause();
  }};
  output.close_writer();
  EXPECT_EQ(output.read_line(), "up\n");
  ::kill(parent.id(), SIGKILL);
  EXPECT_EQ(output.read_all(), "");
}

TEST(launcher, returns_the_result_of_a_function) {
  EXPECT_EQ(end_of(child_process{[] { return 7; }}), "exited with 7");
  EXPECT_EQ(end_of(child_process{[]() -> int { throw std::runtime_error{"no"}; }}),
            "exited with 1");
}

}  // namespace
}  // namespace zinc
