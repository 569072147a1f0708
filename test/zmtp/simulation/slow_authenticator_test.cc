// Many peers and an authenticator that takes its time, on a virtual clock: it answers late, in any
// order, never, or with a refusal. Accepted peers lose no message, and refused ones deliver none.

#include "zmtp/authenticator.h"
#include "zmtp/simulation/world.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp::simulation {
namespace {

using namespace std::chrono_literals;
using boost::asio::awaitable;
using boost::asio::use_awaitable;

constexpr std::size_t count_of_clients = 24;
constexpr int count_of_messages = 5;
constexpr std::chrono::milliseconds handshake_time = 2s;

enum class behavior { prompt, slow, refuses, forgets_once, never_answers };

// The behavior for each client follows from its name: client-0, client-1 …
behavior behavior_for(std::string_view client) {
  const auto number = std::stoul(std::string{client.substr(client.find('-') + 1)});
  return static_cast<behavior>(number % 5);
}

bool is_accepted(std::string_view client) {
  const auto how = behavior_for(client);
  return how != behavior::refuses && how != behavior::never_answers;
}

class slow_authenticator final : public authenticator {
public:
  explicit slow_authenticator(world& w) : world_{w} {}

  void authenticate(const peer_info& peer, const credentials&, handler done) override {
    const auto times = ++asked_[peer.routing_id];
    auto slot = std::make_shared<handler>(std::move(done));
    switch (behavior_for(peer.routing_id)) {
      case behavior::prompt: answer_after(0ms, std::move(slot), accepted(peer)); return;
      case behavior::slow: answer_after(some_time(), std::move(slot), accepted(peer)); return;
      case behavior::refuses:
        answer_after(some_time(), std::move(slot), refusal{.status = "400"});
        return;
      case behavior::forgets_once:
        // The first answer comes long after the deadline of the handshake.
        answer_after(times == 1 ? 3 * handshake_time : some_time(), std::move(slot),
                     accepted(peer));
        return;
      case behavior::never_answers: forgotten_.push_back(std::move(slot)); return;
    }
  }

  [[nodiscard]] std::map<std::string, int> asked() const { return asked_; }

private:
  static verdict accepted(const peer_info& peer) {
    return principal{.user_id = "user of " + peer.routing_id};
  }
  std::chrono::milliseconds some_time() {
    return world_.random().up_to(std::chrono::milliseconds{500});
  }
  // Outside of the process, so not in the executor of the socket.
  void answer_after(std::chrono::milliseconds wait, std::shared_ptr<handler> slot, verdict v) {
    world_.after(wait, [slot = std::move(slot), v = std::move(v)] {
      auto& done = *slot;
      std::move(done)(v);
    });
  }

  world& world_;
  std::map<std::string, int> asked_;
  std::vector<std::shared_ptr<handler>> forgotten_;
};

class slow_authentication : public testing::TestWithParam<std::uint64_t> {
protected:
  using texts = std::vector<std::string>;

  void SetUp() override {
    for (int n = 1; n <= count_of_messages; ++n) {
      all_messages.push_back(std::to_string(n));
    }
    server.run([this] { return serve(); });
    for (std::size_t i = 0; i < count_of_clients; ++i) {
      const auto name = "client-" + std::to_string(i);
      expected[name] = is_accepted(name) ? all_messages : texts{};
      received[name];
      auto& client = w.add(name);
      client.run([this, name] { return send_all(name); });
    }
  }

  awaitable<void> serve() {
    auto options = socket_options{};
    options.limit.handshake_time = handshake_time;
    options.limit.handshake_silence = 1s;  // longer than a slow answer takes
    options.pending_handshakes = 8;
    options.authenticator = asked;
    router_socket router{co_await asio::this_coro::executor, options};
    router.bind("tcp://*:5555");
    for (;;) {
      const auto m = co_await router.async_receive(use_awaitable);
      const auto* const info = router.peer(m.peer);
      const auto name = info != nullptr ? info->routing_id : "nobody";
      EXPECT_EQ(info != nullptr ? info->user_id : "", "user of " + name);
      received[name].emplace_back(m.content.front());
    }
  }

  awaitable<void> send_all(std::string name) {
    auto options = socket_options{};
    options.routing_id = name;
    dealer_socket dealer{co_await asio::this_coro::executor, options};
    dealer.connect("tcp://server:5555");
    for (const auto& text : all_messages) {
      co_await dealer.async_send(message{text}, use_awaitable);
    }
    co_await dealer.async_wait_peers(1'000, use_awaitable);  // until the process ends
  }

  world w{GetParam()};
  process& server = w.add("server");
  std::shared_ptr<slow_authenticator> asked = std::make_shared<slow_authenticator>(w);
  texts all_messages;
  std::map<std::string, texts> expected;
  std::map<std::string, texts> received;
};

TEST_P(slow_authentication, loses_no_message_of_an_accepted_peer_and_shows_none_of_another) {
  EXPECT_TRUE(w.run_until([&] { return received == expected; }, 5min));
  w.run_for(1min);
  EXPECT_EQ(received, expected);
  // A peer without an answer does not keep its place: it was asked about again.
  for (const auto& [name, times] : asked->asked()) {
    const auto how = behavior_for(name);
    const bool again = how != behavior::prompt && how != behavior::slow;
    EXPECT_EQ(times > 1, again) << name;
  }
}

TEST_P(slow_authentication, may_end_at_any_time) {
  w.run_for(std::chrono::milliseconds{w.random().between(0, 1'000)});
  server.kill(w.random().chance(50) ? death::process : death::power);
  received.clear();
  w.run_for(10s);
  EXPECT_TRUE(received.empty()) << "late answers of the old process have no effect";
  server.run([this] { return serve(); });
  w.run_for(10s);
}

INSTANTIATE_TEST_SUITE_P(seeds, slow_authentication, testing::Range<std::uint64_t>(1, 13));

}  // namespace
}  // namespace zmtp::simulation
