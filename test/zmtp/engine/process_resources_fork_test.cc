// A process that forks while another thread uses the resources of the process: the child can use
// them too.

#include "zmtp/engine/process_resources.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace zmtp {
namespace {

// Calls `use` again and again, from before its constructor returns.
class busy_thread {
public:
  explicit busy_thread(const std::function<void()>& use)
      : thread_{[this, use] {
          while (!stops_) {
            use();
            begun_ = true;
          }
        }} {
    while (!begun_) {
      std::this_thread::yield();
    }
  }
  ~busy_thread() {
    stops_ = true;
    thread_.join();
  }

private:
  std::atomic<bool> begun_ = false;
  std::atomic<bool> stops_ = false;
  std::thread thread_;
};

process_resources& resources() { return *process_resources::of_this_process(); }

// Returns whether each of many children comes to the end of `use`.
bool children_can(const std::function<void()>& use) {
  for (int i = 0; i < 200; ++i) {
    const auto child = ::fork();
    if (child == 0) {
      ::alarm(20);  // a child that waits for a lock ends by this signal
      use();
      ::_exit(EXIT_SUCCESS);
    }
    int status = -1;
    if (::waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
        WEXITSTATUS(status) != EXIT_SUCCESS) {
      return false;
    }
  }
  return true;
}

// Each use of the other thread is mostly one lock, so that almost every fork meets it locked.
bool children_can_use_what_a_thread_uses(const std::function<void()>& use) {
  const busy_thread user{use};
  return children_can(use);
}

TEST(process_resources, a_child_uses_inproc_names_that_a_thread_was_using) {
  EXPECT_TRUE(children_can_use_what_a_thread_uses([] {
    const std::string name = "name";
    static_cast<void>(resources().names.find(name, &name, [] {}));
    resources().names.leave(name, &name);
  }));
}

TEST(process_resources, a_child_uses_the_queue_budget_that_a_thread_was_using) {
  EXPECT_TRUE(children_can_use_what_a_thread_uses(
      [] { resources().queued.set_budget(resources().queued.budget()); }));
}

TEST(process_resources, a_child_uses_the_partial_messages_that_a_thread_was_using) {
  EXPECT_TRUE(children_can_use_what_a_thread_uses([] {
    partial_message_ledger::entry one;
    const std::lock_guard lock{resources().partial_messages.mutex};
    static_cast<void>(resources().partial_messages.ledger.hold(one, 1));
    resources().partial_messages.ledger.release(one);
  }));
}

}  // namespace
}  // namespace zmtp
