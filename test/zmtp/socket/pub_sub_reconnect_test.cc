// Every publisher that connects gets the subscriptions, and gets them again after a reconnect
// (protocols A5).

#include "test/zmtp/socket/pub_sub_fixture.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::chrono_literals;

class pub_sub_reconnect : public pub_sub_test {
protected:
  static socket_options impatient() {
    socket_options options;
    options.reconnect = {.initial = 10ms, .maximum = 20ms};
    return options;
  }
  // Binds where another socket was until now.
  template <class Socket>
  void bind_again(Socket& binding, const std::string& at) {
    error_code ec;
    run_until([&] {
      binding.bind(at, ec);
      return !ec;
    });
  }
};

TEST_F(pub_sub_reconnect, a_restarted_publisher_gets_the_subscriptions_again) {
  auto publisher = std::make_unique<pub_socket>(executor());
  const auto at = publisher->bind("tcp://127.0.0.1:*").to_string();
  sub_socket subscriber{executor(), impatient()};
  subscriber.connect(at);
  for (const auto* topic : {"A", "B", "C"}) {
    subscriber.subscribe(topic);
  }
  agree(*publisher, subscriber);
  for (int round = 0; round < 5; ++round) {
    publisher->close(0ms);
    publisher = std::make_unique<pub_socket>(executor());
    bind_again(*publisher, at);
    agree(*publisher, subscriber);
    for (const auto* first : {"A", "B", "C", "D"}) {
      send(*publisher, {first, std::to_string(round)});
    }
    EXPECT_EQ(receive(subscriber, 3), (std::vector<parts>{{"A", std::to_string(round)},
                                                          {"B", std::to_string(round)},
                                                          {"C", std::to_string(round)}}));
  }
}

TEST_F(pub_sub_reconnect, changes_made_while_disconnected_are_sent_on_reconnect) {
  auto publisher = std::make_unique<pub_socket>(executor());
  const auto at = publisher->bind("tcp://127.0.0.1:*").to_string();
  sub_socket subscriber{executor(), impatient()};
  subscriber.connect(at);
  subscriber.subscribe("given up");
  subscriber.subscribe("kept");
  agree(*publisher, subscriber);
  publisher->close(0ms);
  const auto lost = [&] {
    return subscriber.counters().ended[static_cast<std::size_t>(errc::connection_lost)] != 0;
  };
  run_until(lost);
  subscriber.unsubscribe("given up");
  subscriber.subscribe("new");
  publisher = std::make_unique<pub_socket>(executor());
  bind_again(*publisher, at);
  agree(*publisher, subscriber);
  const auto before = publisher->counters().messages_sent;
  send(*publisher, {"given up"});
  EXPECT_EQ(publisher->counters().messages_sent, before);
  send(*publisher, {"kept"});
  send(*publisher, {"new"});
  EXPECT_EQ(receive(subscriber, 2), (std::vector<parts>{{"kept"}, {"new"}}));
}

TEST_F(pub_sub_reconnect, a_restarted_subscriber_subscribes_again_at_a_connecting_publisher) {
  pub_socket publisher{executor(), impatient()};
  auto subscriber = std::make_unique<sub_socket>(executor());
  const auto at = subscriber->bind("tcp://127.0.0.1:*").to_string();
  publisher.connect(at);
  subscriber->subscribe("A");
  agree(publisher, *subscriber);
  const auto lost = [&] {
    return publisher.counters().ended[static_cast<std::size_t>(errc::connection_lost)];
  };
  for (std::uint64_t round = 1; round <= 5; ++round) {
    subscriber->close(0ms);
    run_until([&] { return lost() == round; });
    const auto before = publisher.counters().messages_sent;
    send(publisher, {"A", "while nobody is there"});
    EXPECT_EQ(publisher.counters().messages_sent, before)
        << "the publisher has no subscription now";
    subscriber = std::make_unique<sub_socket>(executor());
    subscriber->subscribe("A");
    bind_again(*subscriber, at);
    agree(publisher, *subscriber);
    send(publisher, {"A", std::to_string(round)});
    EXPECT_EQ(to_parts(receive(*subscriber)), (parts{"A", std::to_string(round)}));
  }
}

// A lost connection loses what the kernel had; nothing comes twice, torn or in another order.
TEST_F(pub_sub_reconnect, no_message_comes_twice_or_torn_while_a_publisher_restarts_repeatedly) {
  const auto body = [](int n) { return std::string(static_cast<std::size_t>(n % 3'000), 'x'); };
  sub_socket subscriber{executor(), impatient()};
  subscriber.subscribe("A");
  std::optional<pub_socket> publisher{std::in_place, executor()};
  const auto at = publisher->bind("tcp://127.0.0.1:*").to_string();
  subscriber.connect(at);
  int sent = 0;
  int last = -1;
  std::size_t received = 0;
  for (int round = 0; round < 10; ++round) {
    const auto enough = received + 200;
    run_until([&] {
      const auto n = sent++;
      send(*publisher, {"A", std::to_string(n), body(n)});
      message m;
      while (subscriber.try_receive(m)) {
        const auto got = std::stoi(std::string{m[1]});
        EXPECT_GT(got, last);
        EXPECT_EQ(to_parts(m), (parts{"A", std::to_string(got), body(got)}));
        last = got;
        ++received;
      }
      return received >= enough || HasFailure();
    });
    publisher->close(0ms);
    publisher.emplace(executor());
    bind_again(*publisher, at);
  }
}

}  // namespace
}  // namespace zmtp::test
