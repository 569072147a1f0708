// One of many readers stops: the others continue as before, its pending messages are limited, and
// when it reads again it gets what the pattern guarantees.

#include "test/support/pattern_test.h"
#include "zmtp/socket/pipeline_sockets.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp::test {
namespace {

constexpr std::size_t mark = 100;
constexpr std::size_t size = 1'000;
// The size of the kernel buffers between two sockets, small so that the marks are reached early.
constexpr int kernel_buffer = 16 * 1024;

const std::string stopped_name = "stopped";

socket_options tight(const std::string& name = {}) {
  auto options = with_marks(mark);
  if (!name.empty()) {
    options.extensions = {name};
  }
  options.transport.send_buffer = kernel_buffer;
  options.transport.receive_buffer = kernel_buffer;
  return options;
}

// The extensions that a peer announces.
std::string_view name_of(const peer_info& peer) {
  const auto* const said = peer.properties.find("X-Zinc");
  return said == nullptr ? std::string_view{} : std::string_view{*said};
}

message of_full_size(std::size_t number) {
  return message{std::to_string(number), std::string(size, 'x')};
}

std::size_t number_of(const message& m) {
  EXPECT_EQ(m.size(), 2U);
  EXPECT_EQ(m.back().size(), size);
  return std::stoul(std::string{m.front()});
}

// A reader, and the numbers that it was sent.
template <class Socket>
struct reader {
  reader(const asio::any_io_executor& executor, const std::string& at, const std::string& name)
      : socket{executor, tight(name)} {
    if constexpr (requires { socket.subscribe(std::string_view{}); }) {
      socket.subscribe("");
    }
    socket.connect(at);
  }

  void take_all() {
    for (message m; socket.try_receive(m);) {
      numbers.push_back(number_of(m));
    }
  }

  Socket socket;
  std::vector<std::size_t> numbers;
};

class slow_reader : public pattern_test {
protected:
  // All readers except the first, which has stopped.
  template <class Readers>
  static std::size_t take_from_others(Readers& all) {
    std::size_t taken = 0;
    for (auto each = all.begin() + 1; each != all.end(); ++each) {
      each->take_all();
      taken += each->numbers.size();
    }
    return taken;
  }
  static peer_status stopped_peer_of(const socket& sender) {
    for (auto& each : sender.peers()) {
      if (name_of(each.info) == stopped_name) {
        return each;
      }
    }
    ADD_FAILURE() << "the reader that has stopped is no peer any more";
    return {};
  }
  // On both sides, the queues of the stopped reader hold as much as the marks allow, and all other
  // queues are empty.
  static void expect_bounded(const socket& sender, const socket& stopped) {
    for (const auto& each : sender.peers()) {
      const bool is_stopped = name_of(each.info) == stopped_name;
      EXPECT_GE(each.messages_to_send, is_stopped ? mark : 0);
      EXPECT_LE(each.messages_to_send, is_stopped ? mark + 1 : 0);
      EXPECT_LE(each.bytes_to_send, each.messages_to_send * (size + 64));
    }
    const auto peers = stopped.peers();
    ASSERT_EQ(peers.size(), 1U);
    EXPECT_GE(peers.front().messages_to_receive, mark);
    EXPECT_LE(peers.front().messages_to_receive, mark + 1);
  }
};

TEST_F(slow_reader, among_a_hundred_subscribers_only_the_stopped_one_misses_messages) {
  constexpr std::size_t batch = mark / 2;
  pub_socket publisher{executor(), tight()};
  const auto at = publisher.bind("tcp://127.0.0.1:*").to_string();
  std::vector<reader<sub_socket>> subscribers;
  for (int i = 0; i < 100; ++i) {
    subscribers.emplace_back(executor(), at, i == 0 ? stopped_name : "");
  }
  auto& stopped = subscribers.front();
  run_until([&] { return publisher.subscribers("") == subscribers.size(); });

  std::size_t sent = 0;
  const auto publish = [&] {
    for (std::size_t i = 0; i < batch; ++i) {
      ASSERT_EQ(publisher.try_send(of_full_size(sent++)), send_status::queued);
    }
    const auto all = sent * (subscribers.size() - 1);
    run_until([&] { return take_from_others(subscribers) == all; });
  };
  // The kernel takes a little more over time.
  while (sent < 40 * batch || stopped_peer_of(publisher).messages_to_send < mark) {
    ASSERT_LT(sent, 1'000 * batch) << "the stopped subscriber is never full";
    publish();
  }
  const auto count = sent;
  for (std::size_t i = 1; i < subscribers.size(); ++i) {
    ASSERT_TRUE(std::is_sorted(subscribers[i].numbers.begin(), subscribers[i].numbers.end()));
    ASSERT_EQ(subscribers[i].numbers.back(), count - 1);
  }
  expect_bounded(publisher, stopped.socket);
  const auto dropped = stopped_peer_of(publisher).counters.dropped_full;
  EXPECT_GT(dropped, 0U);
  EXPECT_EQ(publisher.counters().dropped_full, dropped);

  // The subscriber gets the queued messages, and then all new ones.
  run_until([&] {
    stopped.take_all();
    return stopped.numbers.size() == count - dropped;
  });
  publish();
  run_until([&] {
    stopped.take_all();
    return stopped.numbers.size() == count - dropped + batch;
  });
  EXPECT_TRUE(std::is_sorted(stopped.numbers.begin(), stopped.numbers.end()));
  EXPECT_EQ(stopped.numbers.back(), count + batch - 1);
  EXPECT_EQ(publisher.counters().dropped_full, dropped);
}

TEST_F(slow_reader, among_ten_pullers_is_skipped_and_misses_nothing) {
  constexpr std::size_t others = 9;
  constexpr std::size_t batch = others * 10;
  constexpr std::size_t batches = 40;
  push_socket pusher{executor(), tight()};
  const auto at = pusher.bind("tcp://127.0.0.1:*").to_string();
  std::vector<reader<pull_socket>> pullers;
  for (std::size_t i = 0; i <= others; ++i) {
    pullers.emplace_back(executor(), at, i == 0 ? stopped_name : "");
  }
  auto& stopped = pullers.front();
  run_until([&] { return pusher.peers().size() == pullers.size(); });

  std::size_t sent = 0;
  const auto push = [&] {
    for (std::size_t i = 0; i < batch; ++i) {
      ASSERT_EQ(pusher.try_send(of_full_size(sent++)), send_status::queued);
    }
    run_until([&] {
      return take_from_others(pullers) + stopped_peer_of(pusher).counters.messages_sent == sent;
    });
  };
  // Until it is full it gets its share, and then nothing more.
  while (stopped_peer_of(pusher).messages_to_send < mark && sent < 1'000 * batch) {
    push();
  }
  std::size_t share = 0;
  std::size_t before = 0;
  std::vector<std::size_t> had;
  // The kernel takes a little more over time, and then there is space for as much.
  while (share != stopped_peer_of(pusher).counters.messages_sent) {
    ASSERT_LT(sent, 1'000 * batch) << "it is never full";
    share = stopped_peer_of(pusher).counters.messages_sent;
    before = take_from_others(pullers);
    had.clear();
    for (const auto& each : pullers) {
      had.push_back(each.numbers.size());
    }
    for (std::size_t i = 0; i < batches; ++i) {
      push();
    }
  }
  expect_bounded(pusher, stopped.socket);
  EXPECT_EQ(take_from_others(pullers), before + batches * batch);
  for (std::size_t i = 1; i < pullers.size(); ++i) {
    EXPECT_EQ(pullers[i].numbers.size(), had[i] + batches * batch / others);
  }

  // No other worker got its messages. Now it gets its part of the new ones.
  run_until([&] {
    stopped.take_all();
    return stopped.numbers.size() == share;
  });
  push();
  const auto whole_share = stopped_peer_of(pusher).counters.messages_sent;
  EXPECT_EQ(whole_share, share + batch / pullers.size());
  run_until([&] {
    stopped.take_all();
    return stopped.numbers.size() == whole_share;
  });
  std::vector<std::size_t> all;
  for (const auto& each : pullers) {
    EXPECT_TRUE(std::is_sorted(each.numbers.begin(), each.numbers.end()));
    all.insert(all.end(), each.numbers.begin(), each.numbers.end());
  }
  std::sort(all.begin(), all.end());
  std::vector<std::size_t> each_once(sent);
  std::iota(each_once.begin(), each_once.end(), 0U);
  EXPECT_EQ(all, each_once);
  EXPECT_EQ(pusher.counters().dropped_full, 0U);
}

}  // namespace
}  // namespace zmtp::test
