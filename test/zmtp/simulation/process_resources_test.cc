// Each simulated process has its own inproc names and its own memory budget.
#include "zmtp/simulation/world.h"
#include "zmtp/socket/pipeline_sockets.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace zmtp::simulation {
namespace {

using namespace std::chrono_literals;
using boost::asio::awaitable;
using boost::asio::use_awaitable;

constexpr std::size_t kibi = 1024;
constexpr std::size_t mebi = 1024 * kibi;

// Options without marks: only the memory budget stops the socket.
socket_options unmarked() {
  socket_options options;
  options.send_mark = options.receive_mark = {.messages = {}, .bytes = {}};
  return options;
}

awaitable<void> send(std::string to, std::size_t size, int count, int& sent) {
  push_socket out{co_await asio::this_coro::executor, unmarked()};
  out.connect(to);
  for (; sent < count; ++sent) {
    co_await out.async_send(message{std::string(size, 'x')}, use_awaitable);
  }
  co_await out.async_wait_peers(1'000, use_awaitable);
}

// Makes a socket that receives when the test asks it to.
process::program receiver(pull_socket*& made) {
  return [&made](const boost::asio::any_io_executor& executor) {
    auto in = std::make_shared<pull_socket>(executor, unmarked());
    in->bind("tcp://*:5555");
    made = in.get();
    return in;
  };
}

TEST(process_resources, two_processes_bind_the_same_inproc_name) {
  world w{1};
  std::vector<std::string> received;
  const auto talk_to_itself = [&received](std::string what) -> awaitable<void> {
    const auto executor = co_await asio::this_coro::executor;
    pull_socket in{executor};
    push_socket out{executor};
    out.connect("inproc://name");
    in.bind("inproc://name");
    co_await out.async_send(message{what}, use_awaitable);
    received.push_back(what + " got " +
                       std::string{(co_await in.async_receive(use_awaitable)).front()});
    co_await out.async_wait_peers(1'000, use_awaitable);
  };
  w.add("one").run([&] { return talk_to_itself("one"); });
  w.add("two").run([&] { return talk_to_itself("two"); });
  ASSERT_TRUE(w.run_until([&] { return received.size() == 2; }, 1s));
  EXPECT_TRUE(received == (std::vector<std::string>{"one got one", "two got two"}) ||
              received == (std::vector<std::string>{"two got two", "one got one"}));
}

TEST(process_resources, a_process_without_memory_does_not_stop_the_other) {
  world w{1};
  auto& sink = w.add("sink");
  auto& small = w.add("small");
  auto& large = w.add("large");
  small.limit_memory(mebi, mebi);
  pull_socket* in = nullptr;
  int from_small = 0;
  int from_large = 0;
  sink.start(receiver(in));
  w.run_for(1s);
  sink.pause();
  constexpr int count = 500;
  small.run([&] { return send("tcp://sink:5555", 10 * kibi, count, from_small); });
  w.run_for(10s);
  EXPECT_GT(from_small, 10);
  EXPECT_LT(from_small, 200);
  large.run([&] { return send("tcp://sink:5555", 10 * kibi, count, from_large); });
  w.run_for(10s);
  EXPECT_EQ(from_large, count);
  EXPECT_LT(from_small, 200);
}

class two_receivers : public testing::Test {
protected:
  // Each gets one message at the same time, and may hold this much of it.
  void run_with(std::size_t budget) {
    one.limit_memory(mebi, budget);
    two.limit_memory(mebi, budget);
    one.start(receiver(in_one));
    two.start(receiver(in_two));
    to_one.run([&] { return send("tcp://one:5555", mebi, 1, sent_to_one); });
    to_two.run([&] { return send("tcp://two:5555", mebi, 1, sent_to_two); });
    w.run_for(20s);
  }
  static std::uint64_t evicted(const pull_socket& in) {
    return in.counters().ended.at(static_cast<std::size_t>(errc::partial_message_evicted));
  }

  world w{1};
  process& one = w.add("one");
  process& two = w.add("two");
  process& to_one = w.add("to_one");
  process& to_two = w.add("to_two");
  pull_socket* in_one = nullptr;
  pull_socket* in_two = nullptr;
  int sent_to_one = 0;
  int sent_to_two = 0;
};

TEST_F(two_receivers, do_not_evict_the_partial_messages_of_each_other) {
  run_with(2 * mebi);
  EXPECT_EQ(evicted(*in_one), 0U);
  EXPECT_EQ(evicted(*in_two), 0U);
  message m;
  EXPECT_TRUE(in_one->try_receive(m));
  EXPECT_TRUE(in_two->try_receive(m));
}

TEST_F(two_receivers, evict_a_partial_message_above_their_own_budget) {
  run_with(mebi / 2);
  EXPECT_GT(evicted(*in_one), 0U);
  EXPECT_GT(evicted(*in_two), 0U);
}

}  // namespace
}  // namespace zmtp::simulation
