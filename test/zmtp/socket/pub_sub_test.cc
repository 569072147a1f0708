// PUB and SUB over each transport: each order of subscribing, binding and connecting.

#include "test/zmtp/socket/pub_sub_fixture.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace zmtp::test {
namespace {

using namespace std::string_literals;

using messages = std::vector<parts>;

class both_ways : public pub_sub_test, public testing::WithParamInterface<meeting> {
protected:
  [[nodiscard]] bool publisher_binds() const { return GetParam().binds == side::sender; }
  void join_as_told() {
    publisher_binds() ? join(publisher, subscriber, GetParam().over)
                      : join(subscriber, publisher, GetParam().over);
  }

  pub_socket publisher{executor()};
  sub_socket subscriber{executor()};
};

INSTANTIATE_TEST_SUITE_P(bound_by, both_ways, testing::ValuesIn(meetings()),
                         testing::PrintToStringParamName());

TEST_P(both_ways, subscribing_before_the_connection_works) {
  subscriber.subscribe("A");
  join_as_told();
  agree(publisher, subscriber);
  send(publisher, {"B"});
  send(publisher, {"A", "1"});
  EXPECT_EQ(to_parts(receive(subscriber)), (parts{"A", "1"}));
}

TEST_P(both_ways, subscribing_during_the_connection_setup_works) {
  join_as_told();
  subscriber.subscribe("A");
  agree(publisher, subscriber);
  send(publisher, {"A"});
  EXPECT_EQ(to_parts(receive(subscriber)), parts{"A"});
}

TEST_P(both_ways, subscribing_long_after_the_connection_works) {
  join_as_told();
  agree(publisher, subscriber);
  send(publisher, {"A", "too early"});
  subscriber.subscribe("A");
  agree(publisher, subscriber);
  send(publisher, {"A", "in time"});
  EXPECT_EQ(to_parts(receive(subscriber)), (parts{"A", "in time"}));
}

TEST_P(both_ways, connecting_before_the_other_side_binds_works) {
  const auto at = reserve(GetParam().over);
  socket& connecting = publisher_binds() ? static_cast<socket&>(subscriber) : publisher;
  socket& binding = publisher_binds() ? static_cast<socket&>(publisher) : subscriber;
  connecting.connect(at);
  subscriber.subscribe("A");
  run_ready();
  binding.bind(at);
  subscriber.subscribe("B");
  agree(publisher, subscriber);
  for (const auto* first : {"A", "B", "C"}) {
    send(publisher, {first});
  }
  EXPECT_EQ(receive(subscriber, 2), (messages{{"A"}, {"B"}}));
}

TEST_P(both_ways, an_unsubscribed_socket_gets_no_more_messages) {
  join_as_told();
  subscriber.subscribe("A");
  subscriber.subscribe("B");
  agree(publisher, subscriber);
  subscriber.unsubscribe("A");
  agree(publisher, subscriber);
  const auto before = publisher.counters().messages_sent;
  send(publisher, {"A"});
  EXPECT_EQ(publisher.counters().messages_sent, before) << "the publisher was not told";
  send(publisher, {"B"});
  EXPECT_EQ(to_parts(receive(subscriber)), parts{"B"});
}

TEST_P(both_ways, a_topic_ends_after_one_unsubscribe_for_each_subscribe) {
  join_as_told();
  subscriber.subscribe("A");
  subscriber.subscribe("A");
  subscriber.unsubscribe("A");
  subscriber.unsubscribe("never");
  agree(publisher, subscriber);
  send(publisher, {"A"});
  EXPECT_EQ(to_parts(receive(subscriber)), parts{"A"});
  subscriber.unsubscribe("A");
  agree(publisher, subscriber);
  const auto before = publisher.counters().messages_sent;
  send(publisher, {"A"});
  EXPECT_EQ(publisher.counters().messages_sent, before);
}

// Messages that were sent before the publisher got the change are in flight and in the queue. None
// of them may be received, and those of other topics must be.
TEST_P(both_ways, unsubscribing_with_messages_in_flight_works) {
  constexpr int count = 500;
  join_as_told();
  subscriber.subscribe("A");
  subscriber.subscribe("B");
  agree(publisher, subscriber);
  for (int n = 0; n < count; ++n) {
    send(publisher, {n % 2 == 0 ? "A" : "B", std::to_string(n)});
  }
  EXPECT_EQ(to_parts(receive(subscriber)), (parts{"A", "0"}));
  subscriber.unsubscribe("A");
  for (int n = 1; n < count; n += 2) {
    ASSERT_EQ(to_parts(receive(subscriber)), (parts{"B", std::to_string(n)}));
  }
  agree(publisher, subscriber);
}

TEST_P(both_ways, messages_of_all_shapes_arrive_in_order) {
  join_as_told();
  subscriber.subscribe("");
  agree(publisher, subscriber);
  messages expected;
  for (const std::size_t size : {0U, 1U, 255U, 256U, 4'096U, 4'097U, 65'536U, 1'000'000U}) {
    expected.push_back({std::string(size, 'x')});
    expected.push_back({"", std::string(size, 'y'), ""});
    expected.push_back({"first", "", std::string(size, 'z'), "last"});
  }
  for (const auto& shape : expected) {
    message m;
    for (const auto& part : shape) {
      m.push_back(part);
    }
    send(publisher, std::move(m));
  }
  EXPECT_TRUE(receive(subscriber, expected.size()) == expected);
}

TEST_P(both_ways, topics_of_all_sizes_and_bytes_work) {
  join_as_told();
  const std::vector<std::string> topics{"\0"s,
                                        "\0\0"s,
                                        "\xff",
                                        std::string(254, 'a'),
                                        std::string(255, 'b'),
                                        std::string(256, 'c'),
                                        std::string(1'024, 'd')};
  for (const auto& topic : topics) {
    subscriber.subscribe(topic);
  }
  agree(publisher, subscriber);
  for (const auto& topic : topics) {
    send(publisher, {std::string_view{topic}.substr(1), "not wanted"});
    send(publisher, {topic});
    send(publisher, {topic + "tail"});
  }
  messages expected;
  for (const auto& topic : topics) {
    if (topic == "\0\0"s) {
      expected.push_back({"\0"s, "not wanted"});
    }
    expected.push_back({topic});
    expected.push_back({topic + "tail"});
  }
  EXPECT_TRUE(receive(subscriber, expected.size()) == expected);
}

using pub_sub = pub_sub_test;

// protocols A8: matters for CHP's KVSET.
TEST_F(pub_sub, a_connecting_publisher_drops_messages_until_a_subscription_arrives) {
  pub_socket publisher{executor()};
  sub_socket subscriber{executor()};
  subscriber.subscribe("A");
  join(subscriber, publisher);
  for (int n = 0; n < 100; ++n) {
    send(publisher, {"A", "too early"});
  }
  EXPECT_EQ(publisher.counters().messages_sent, 0U);
  agree(publisher, subscriber);
  send(publisher, {"A", "in time"});
  EXPECT_EQ(to_parts(receive(subscriber)), (parts{"A", "in time"}));
}

TEST_F(pub_sub, one_subscriber_receives_from_several_publishers) {
  sub_socket subscriber{executor()};
  subscriber.subscribe("A");
  std::vector<std::unique_ptr<pub_socket>> publishers;
  for (int n = 0; n < 5; ++n) {
    publishers.push_back(std::make_unique<pub_socket>(executor()));
    join(*publishers.back(), subscriber);
  }
  for (auto& each : publishers) {
    agree(*each, subscriber);
  }
  for (std::size_t n = 0; n < publishers.size(); ++n) {
    send(*publishers[n], {"A", std::to_string(n)});
    EXPECT_EQ(to_parts(receive(subscriber)), (parts{"A", std::to_string(n)}));
  }
}

TEST_F(pub_sub, each_of_a_hundred_subscribers_gets_its_topics) {
  constexpr std::size_t subscribers = 100;
  constexpr std::size_t rounds = 200;
  pub_socket publisher{executor()};
  const auto at = publisher.bind("tcp://127.0.0.1:*").to_string();
  std::vector<std::unique_ptr<sub_socket>> all;
  for (std::size_t n = 0; n < subscribers; ++n) {
    all.push_back(std::make_unique<sub_socket>(executor()));
    all.back()->subscribe("all");
    // Ten groups of ten.
    all.back()->subscribe("group " + std::to_string(n / 10));
    all.back()->connect(at);
  }
  for (auto& each : all) {
    agree(publisher, *each);
  }
  const auto before = publisher.counters().messages_sent;
  for (std::size_t n = 0; n < rounds; ++n) {
    send(publisher, {"all", std::to_string(n)});
    send(publisher, {"group " + std::to_string(n % 10), std::to_string(n)});
  }
  EXPECT_EQ(publisher.counters().messages_sent - before, rounds * (subscribers + 10));
  EXPECT_EQ(publisher.counters().dropped_full, 0U);
  for (std::size_t n = 0; n < subscribers; ++n) {
    messages expected;
    for (std::size_t round = 0; round < rounds; ++round) {
      expected.push_back({"all", std::to_string(round)});
      if (round % 10 == n / 10) {
        expected.push_back({"group " + std::to_string(round % 10), std::to_string(round)});
      }
    }
    ASSERT_TRUE(receive(*all[n], expected.size()) == expected) << n;
  }
}

TEST_F(pub_sub, subscribers_connect_and_disconnect_while_messages_flow) {
  pub_socket publisher{executor()};
  const auto at = publisher.bind("tcp://127.0.0.1:*").to_string();
  sub_socket stays{executor()};
  stays.subscribe("A");
  stays.connect(at);
  agree(publisher, stays);
  int sent = 0;
  int received = 0;
  for (int n = 0; n < 50; ++n) {
    sub_socket guest{executor()};
    guest.subscribe("A");
    guest.connect(at);
    message m;
    bool arrived = false;
    run_until([&] {
      send(publisher, {"A", std::to_string(sent++)});
      while (stays.try_receive(m)) {
        EXPECT_EQ(to_parts(m), (parts{"A", std::to_string(received++)}));
      }
      arrived = guest.try_receive(m);
      return arrived;
    });
  }
  while (received < sent && !HasFailure()) {
    EXPECT_EQ(to_parts(receive(stays)), (parts{"A", std::to_string(received++)}));
  }
  EXPECT_EQ(publisher.counters().dropped_full, 0U);
}

TEST_F(pub_sub, messages_published_before_a_close_are_delivered) {
  auto publisher = std::make_unique<pub_socket>(executor());
  sub_socket subscriber{executor()};
  subscriber.subscribe("");
  join(*publisher, subscriber);
  agree(*publisher, subscriber);
  for (int n = 0; n < 900; ++n) {
    send(*publisher, {std::to_string(n), std::string(300, 'x')});
  }
  publisher.reset();
  for (int n = 0; n < 900; ++n) {
    ASSERT_EQ(receive(subscriber).front(), std::to_string(n));
  }
}

TEST_F(pub_sub, a_topic_above_the_limit_is_an_error) {
  sub_socket subscriber{executor()};
  error_code ec;
  subscriber.subscribe(std::string(1'025, 't'), ec);
  EXPECT_EQ(ec, errc::topic_too_long);
  EXPECT_THROW(subscriber.subscribe(std::string(1'025, 't')), boost::system::system_error);
  subscriber.subscribe(std::string(1'024, 't'), ec);
  EXPECT_FALSE(ec);
}

}  // namespace
}  // namespace zmtp::test
