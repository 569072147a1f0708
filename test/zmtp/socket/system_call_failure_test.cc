// The n-th system call of its kind fails, for all n: nothing crashes, no descriptor stays open, and
// the sockets serve their current and new peers.

#include "test/support/meeting.h"
#include "test/support/pattern_test.h"
#include "test/support/system_calls.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;

// With what each kind may fail.
std::vector<int> errors_of(system_call call) {
  switch (call) {
    case system_call::open: return {EMFILE, ENFILE, ENOBUFS, ENOMEM};
    case system_call::bind: return {EADDRINUSE, ENOBUFS, ENOMEM};
    case system_call::listen: return {EADDRINUSE, ENOBUFS};
    case system_call::connect: return {EINTR, EAGAIN, ECONNREFUSED, ENETUNREACH, ENOMEM};
    case system_call::accept:
      return {EINTR, EAGAIN, ECONNABORTED, EPROTO, EMFILE, ENFILE, ENOBUFS, ENOMEM};
    case system_call::watch: return {ENOMEM, ENOSPC};
    case system_call::read: return {EINTR, EAGAIN, ECONNRESET, ETIMEDOUT, ENOBUFS, ENOMEM};
    case system_call::write: return {EINTR, EAGAIN, ECONNRESET, EPIPE, ETIMEDOUT, ENOBUFS, ENOMEM};
    case system_call::set_option: return {ENOBUFS, ENOPROTOOPT, EINVAL};
    case system_call::get_option: return {ENOBUFS, ENOPROTOOPT};
    case system_call::name: return {ENOBUFS, ENOTCONN};
    case system_call::control: return {ENOMEM, EINTR};
    case system_call::shut_down: return {ENOTCONN};
    case system_call::close: return {EINTR, EIO};
  }
  return {};
}

constexpr system_call all_calls[]{
    system_call::open,       system_call::bind,       system_call::listen, system_call::connect,
    system_call::accept,     system_call::watch,      system_call::read,   system_call::write,
    system_call::set_option, system_call::get_option, system_call::name,   system_call::control,
    system_call::shut_down,  system_call::close};

std::ptrdiff_t open_descriptors() {
  const std::filesystem::directory_iterator all{"/proc/self/fd"};
  return std::distance(begin(all), end(all));
}

// Two sockets that exchange messages, lose their connection, and reconnect. Each step is retried
// where a user would: after a reported failure, and after a disconnect with messages in flight.
class talk {
public:
  talk() = default;
  talk(const talk&) = delete;
  talk& operator=(const talk&) = delete;
  virtual ~talk() = default;

  void play(medium over) {
    bind(free_endpoint(over));
    start();
    exchange();
    cut();
    exchange();
    // Peers that came through the listener stay.
    error_code ec;
    bound().unbind(at_, ec);
    EXPECT_FALSE(ec) << ec.message();
    bind(at_);
    exchange();
  }
  // The old ones and a new one.
  virtual void expect_usable() = 0;
  void close() {
    int open = 0;
    for (auto* each : sockets()) {
      ++open;
      each->async_close(timeout, [&](error_code) { --open; });
    }
    run_until([&] { return open == 0; });
    context_.restart();
    context_.run_for(timeout);
    EXPECT_TRUE(context_.stopped()) << "something is still pending";
  }

protected:
  static constexpr std::chrono::seconds timeout{5};

  virtual void start() = 0;
  virtual void exchange() = 0;
  virtual void cut() = 0;
  virtual socket& bound() = 0;
  virtual std::vector<socket*> sockets() = 0;

  template <class Done>
  void run_until(Done&& done) {
    const auto limit = std::chrono::steady_clock::now() + timeout;
    context_.restart();
    while (!done()) {
      if (context_.run_one_until(limit) == 0) {
        ADD_FAILURE() << (context_.stopped() ? "nothing is left to run" : "time has run out");
        return;
      }
    }
  }
  // Connections that were lost, as far as it has been noticed.
  std::size_t lost() {
    std::size_t all = 0;
    for (auto* each : sockets()) {
      const auto& ended = each->counters().ended;
      all = std::accumulate(ended.begin(), ended.end(), all);
    }
    return all;
  }
  std::string next_text() { return std::to_string(++number_); }
  // Returns whether `m` is the last message sent. A message that was sent twice may arrive twice,
  // but none arrives late.
  bool is_last(const message& m) {
    const auto number = std::stoull(std::string{m.back()});
    EXPECT_GE(number, received_);
    EXPECT_LE(number, number_);
    received_ = number;
    return number == number_;
  }
  // Sends a message, and sends it again after each lost connection, until it arrives.
  template <class Say, class Heard>
  void say_until_heard(Say&& say, Heard&& received) {
    std::optional<std::size_t> lost_before;
    run_until([&] {
      if (lost_before != lost() && say()) {
        lost_before = lost();
      }
      return received();
    });
  }

  asio::io_context context_{1};
  std::string at_;

private:
  void bind(const std::string& at) {
    error_code ec;
    auto where = bound().bind(at, ec);
    if (ec) {
      where = bound().bind(at, ec);
    }
    ASSERT_FALSE(ec) << ec.message();
    at_ = where.to_string();
  }

  unsigned long long number_ = 0;
  unsigned long long received_ = 0;
};

class request_and_reply : public talk {
public:
  void expect_usable() override {
    exchange();
    newcomer_.connect(at_);
    exchange_with(newcomer_);
  }

protected:
  void start() override { dealer_.connect(at_); }
  void exchange() override { exchange_with(dealer_); }
  void cut() override {
    for (const auto& each : router_.peers()) {
      router_.disconnect(each.id);
    }
  }
  socket& bound() override { return router_; }
  std::vector<socket*> sockets() override { return {&router_, &dealer_, &newcomer_}; }

private:
  void exchange_with(dealer_socket& by) {
    const auto text = next_text();
    say_until_heard(
        [&] {
          return by.try_send(message{"question", text}) == send_status::queued;
        },
        [&] {
          for (routed_message m; router_.try_receive(m);) {
            (void)router_.try_send(m.peer, std::move(m.content));
          }
          bool answered = false;
          for (message m; by.try_receive(m);) {
            EXPECT_EQ(m.size(), 2U);
            answered = is_last(m) || answered;
          }
          return answered;
        });
  }

  router_socket router_{context_.get_executor(), impatient()};
  dealer_socket dealer_{context_.get_executor(), impatient()};
  dealer_socket newcomer_{context_.get_executor(), impatient()};
};

class publication : public talk {
public:
  void expect_usable() override {
    exchange();
    newcomer_.subscribe("number");
    newcomer_.connect(at_);
    exchange_with({&subscriber_, &newcomer_});
  }

protected:
  void start() override {
    subscriber_.subscribe("number");
    subscriber_.connect(at_);
  }
  void exchange() override { exchange_with({&subscriber_}); }
  void cut() override {
    for (const auto& each : publisher_.peers()) {
      publisher_.disconnect(each.id);
    }
  }
  socket& bound() override { return publisher_; }
  std::vector<socket*> sockets() override { return {&publisher_, &subscriber_, &newcomer_}; }

private:
  void exchange_with(std::vector<sub_socket*> by) {
    const auto text = next_text();
    const auto count = by.size();
    say_until_heard(
        [&] {
          return publisher_.subscribers("number") == count &&
                 publisher_.try_send(message{"number", text}) == send_status::queued;
        },
        [&] {
          std::erase_if(by, [&](sub_socket* each) {
            bool received = false;
            for (message m; each->try_receive(m);) {
              received = is_last(m) || received;
            }
            return received;
          });
          return by.empty();
        });
  }

  pub_socket publisher_{context_.get_executor(), impatient()};
  sub_socket subscriber_{context_.get_executor(), impatient()};
  sub_socket newcomer_{context_.get_executor(), impatient()};
};

class system_call_failure : public testing::TestWithParam<std::tuple<system_call, medium>> {
protected:
  // Lets each call of this kind fail in turn, with each of its errors, in a talk of its own: until one is over
  // without.
  template <class Talk>
  static void fail_each_call_of() {
    const auto call = std::get<system_call>(GetParam());
    for (const int error : errors_of(call)) {
      for (const auto fails_in : {part::talk, part::end}) {
        bool failed = true;
        for (std::size_t n = 0; failed && !HasFailure(); ++n) {
          SCOPED_TRACE(std::string{to_string(call)} + " " + std::to_string(n) + " of the " +
                       (fails_in == part::talk ? "talk" : "end") + ": " + std::strerror(error));
          const auto before = open_descriptors();
          failed = run<Talk>(fails_in, n, error);
          EXPECT_EQ(open_descriptors(), before);
        }
      }
    }
  }

private:
  enum class part { talk, end };

  // Returns whether there was such a call.
  template <class Talk>
  static bool run(part fails_in, std::size_t nth, int error) {
    const auto [call, over] = GetParam();
    Talk sockets;
    bool failed = false;
    if (fails_in == part::talk) {
      fail_call(call, nth, error);
      sockets.play(over);
      failed = stop_failing();
      sockets.expect_usable();
      sockets.close();
    } else {
      sockets.play(over);
      fail_call(call, nth, error);
      sockets.close();
      failed = stop_failing();
    }
    return failed;
  }
};

TEST_P(system_call_failure, harms_no_requests_and_replies) {
  fail_each_call_of<request_and_reply>();
}

TEST_P(system_call_failure, harms_no_publications) { fail_each_call_of<publication>(); }

INSTANTIATE_TEST_SUITE_P(each, system_call_failure,
                         testing::Combine(testing::ValuesIn(all_calls),
                                          testing::Values(medium::tcp, medium::ipc)),
                         [](const auto& p) {
                           std::ostringstream name;
                           name << std::get<0>(p.param) << "_over_" << std::get<1>(p.param);
                           return name.str();
                         });

}  // namespace
}  // namespace zmtp::test
