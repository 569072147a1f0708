// A server with a low limit of open files and many more peers than that (reliability of accepting: it
// serves those that it has, takes the others when there is room, and idles meanwhile).

#include "test/support/network_test.h"
#include "test/support/scratch_folder.h"

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <fcntl.h>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace zmtp::test {
namespace {

constexpr ::rlim_t most_files = 64;
constexpr std::size_t crowd = 500;
constexpr std::size_t questions = 1'000;

// The counters that the server reports to its parent process.
struct account {
  std::size_t handlers = 0;
  std::size_t pauses = 0;
};

// Echoes until it gets the order to stop.
account serve(const std::string& at) {
  const ::rlimit limit{most_files, most_files};
  ::setrlimit(RLIMIT_NOFILE, &limit);
  asio::io_context context{1};
  router_socket router{context.get_executor()};
  router.bind(at);
  account done;
  for (bool stopped = false; !stopped;) {
    done.handlers += context.run_one();
    for (routed_message m; router.try_receive(m);) {
      stopped = stopped || m.content == message{"stop"};
      (void)router.try_send(m.peer, std::move(m.content));
    }
  }
  done.pauses = router.counters().accept_pauses;
  return done;
}

// Another process, for which a limit of its own holds.
class server {
public:
  explicit server(const std::string& at) {
    EXPECT_EQ(::pipe2(report_.data(), O_CLOEXEC), 0);
    child_ = ::fork();
    EXPECT_GE(child_, 0);
    if (child_ == 0) {
      const auto done = serve(at);
      ::_exit(::write(report_[1], &done, sizeof done) == sizeof done ? 0 : 1);
    }
    ::close(report_[1]);
  }
  server(const server&) = delete;
  server& operator=(const server&) = delete;
  ~server() {
    ::close(report_[0]);
    if (child_ > 0) {
      ::kill(child_, SIGKILL);
      ::waitpid(child_, nullptr, 0);
    }
  }

  // Waits for its end.
  [[nodiscard]] account settle() {
    account done;
    EXPECT_EQ(::read(report_[0], &done, sizeof done), static_cast<::ssize_t>(sizeof done));
    int status = -1;
    EXPECT_EQ(::waitpid(child_, &status, 0), child_);
    EXPECT_EQ(status, 0);
    child_ = 0;
    return done;
  }

private:
  std::array<int, 2> report_{};
  ::pid_t child_ = 0;
};

using descriptor_limit = network_test;

TEST_F(descriptor_limit, far_below_the_number_of_peers_does_not_delay_connected_peers) {
  const scratch_folder folder;
  const auto at = "ipc://" + folder.path("socket");
  server limited{at};
  const auto ask = [](dealer_socket& by, const char* what) {
    EXPECT_EQ(by.try_send(message{what}), send_status::queued);
  };
  dealer_socket first{executor()};
  first.connect(at);
  ask(first, "first");
  EXPECT_EQ(receive(first), message{"first"});

  std::vector<dealer_socket> waiting;
  for (std::size_t i = 0; i < crowd; ++i) {
    waiting.emplace_back(executor()).connect(at);
    ask(waiting.back(), "one of many");
  }
  std::vector<dealer_socket> answered;
  const auto collect = [&] {
    for (auto each = waiting.begin(); each != waiting.end();) {
      message m;
      if (each->try_receive(m)) {
        EXPECT_EQ(m, message{"one of many"});
        answered.push_back(std::move(*each));
        each = waiting.erase(each);
      } else {
        ++each;
      }
    }
  };
  run_until([&] {
    collect();
    return answered.size() >= most_files / 2;
  });
  // No peer disconnects, so no descriptor becomes free. The connected peers are still served.
  for (std::size_t i = 0; i < questions; ++i) {
    ask(first, "served meanwhile");
    ASSERT_EQ(receive(first), message{"served meanwhile"});
  }
  collect();
  EXPECT_LT(answered.size(), most_files);

  // Each answered peer disconnects, and frees a descriptor for the next.
  run_until([&] {
    answered.clear();
    collect();
    return waiting.empty();
  });
  ask(first, "stop");
  EXPECT_EQ(receive(first), message{"stop"});
  const auto done = limited.settle();
  EXPECT_GE(done.pauses, 1U);
  EXPECT_LE(done.pauses, 100U);
  EXPECT_LE(done.handlers, 20 * (crowd + questions));
}

}  // namespace
}  // namespace zmtp::test
