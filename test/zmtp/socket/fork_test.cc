// A process that forks: the child can drop sockets without a notice to their peers, and can open
// new ones. A program that it executes instead inherits no descriptor.

#include "test/support/pattern_test.h"
#include "zmtp/socket/pipeline_sockets.h"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace zmtp::test {
namespace {

using event = asio::execution_context::fork_event;

class fork_test : public pattern_test {
protected:
  void SetUp() override {
    push_.emplace(executor());
    pull_.emplace(executor());
    join(*pull_, *push_);
    put(*push_, {"before"});
    EXPECT_EQ(take(*pull_), message{"before"});
  }
  // Returns whether all expectations of the child hold; GoogleTest reports nothing from there.
  bool in_child(const std::function<bool()>& expected) {
    context().notify_fork(event::fork_prepare);
    const auto child = ::fork();
    if (child == 0) {
      ::alarm(20);
      context().notify_fork(event::fork_child);
      ::_exit(expected() ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    context().notify_fork(event::fork_parent);
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
  }
  // The parent's messages arrive, each once, and the connection is the one that it was.
  void expect_undisturbed() {
    put(*push_, {"after"});
    for (auto m = take(*pull_); m != message{"after"}; m = take(*pull_)) {
      EXPECT_EQ(m, message{"queued"});
      ++queued_;
    }
    EXPECT_EQ(pull_->counters().ended, (decltype(pull_->counters().ended){}));
    EXPECT_EQ(push_->counters().ended, (decltype(push_->counters().ended){}));
  }

  std::optional<push_socket> push_;
  std::optional<pull_socket> pull_;
  std::size_t queued_ = 0;
};

TEST_F(fork_test, a_child_can_destroy_its_sockets_and_run_without_side_effects) {
  EXPECT_EQ(push_->try_send(message{"queued"}), send_status::queued);
  EXPECT_TRUE(in_child([&] {
    push_.reset();
    pull_.reset();
    context().restart();
    context().run();  // until there is nothing left, which is at once
    return true;
  }));
  expect_undisturbed();
  EXPECT_EQ(queued_, 1U);
}

TEST_F(fork_test, a_child_that_continues_to_run_writes_nothing) {
  EXPECT_EQ(push_->try_send(message{"queued"}), send_status::queued);
  EXPECT_TRUE(in_child([&] {
    run_ready();
    run_ready();
    return push_->try_send(message{"from the child"}) == send_status::closed;
  }));
  expect_undisturbed();
  EXPECT_EQ(queued_, 1U);
}

TEST_F(fork_test, inherited_pending_operations_end_in_the_child) {
  std::optional<error_code> receiving;
  std::optional<error_code> sending;
  push_socket alone{executor()};
  pull_->async_receive([&](error_code ec, const message&) { receiving = ec; });
  alone.async_send(message{"m"}, [&](error_code ec) { sending = ec; });
  EXPECT_TRUE(in_child([&] {
    run_to_the_end();
    return receiving == errc::socket_closed && sending == errc::socket_closed &&
           !pull_->is_open() && !alone.is_open();
  }));
  EXPECT_FALSE(receiving);
  put(*push_, {"after"});
  run_until([&] { return receiving.has_value(); });
  EXPECT_EQ(receiving, error_code{});
}

TEST_F(fork_test, a_child_can_open_new_sockets_in_the_same_context) {
  EXPECT_TRUE(in_child([&] {
    pull_.emplace(executor());
    push_.emplace(executor());
    join(*pull_, *push_);
    put(*push_, {"in the child"});
    return take(*pull_) == message{"in the child"};
  }));
  expect_undisturbed();
}

TEST_F(fork_test, a_child_can_exit_without_side_effects) {
  EXPECT_TRUE(in_child([] { return true; }));
  expect_undisturbed();
}

TEST_F(fork_test, every_descriptor_is_closed_on_exec) {
  push_socket waits{executor()};
  waits.connect("tcp://127.0.0.1:1");
  run_ready();
  std::size_t checked = 0;
  std::vector<int> descriptors;
  for (const auto& entry : std::filesystem::directory_iterator{"/proc/self/fd"}) {
    descriptors.push_back(std::stoi(entry.path().filename()));
  }
  for (const auto fd : descriptors) {
    std::error_code gone;
    const auto what = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), gone);
    const auto flags = ::fcntl(fd, F_GETFD);
    // Checks descriptors of Asio and of the library, not those that the test inherited.
    if (!gone && flags >= 0 &&
        (what.string().starts_with("socket:") || what.string().starts_with("anon_inode:"))) {
      EXPECT_NE(flags & FD_CLOEXEC, 0) << fd << ": " << what;
      ++checked;
    }
  }
  // Epoll, its timer and event, a listener and two ends of a connection.
  EXPECT_GE(checked, 6U);
}

}  // namespace
}  // namespace zmtp::test
