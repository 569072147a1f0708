// The publisher of a server: what is inserted between publications, and what waits for room.

#include "chp/publisher_port.h"

#include "test/support/network_test.h"
#include "zmtp/error.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace chp {
namespace {

class publisher_port_test : public zmtp::test::network_test {
protected:
  using texts = std::vector<std::string>;

  void start(std::size_t publisher_bytes) {
    server_options options;
    options.publisher_bytes = publisher_bytes;
    port = std::make_shared<publisher_port>(executor(), options);
    port->start([this] { ++rooms; });
    zmtp::error_code ec;
    at = port->socket().bind("tcp://127.0.0.1:*", ec).to_string();
    ASSERT_FALSE(ec);
  }
  // Returns the subscriber's id at the publisher, when the publisher knows its subscription.
  [[nodiscard]] zmtp::peer_id join(zmtp::sub_socket& subscriber) {
    subscriber.subscribe("");
    subscriber.connect(at);
    zmtp::routed_message item;
    run_until([&] {
      return port->socket().try_receive(item) && item.what == zmtp::routed_message::kind::message;
    });
    return item.peer;
  }
  void publish(const texts& all, std::vector<server_actions::insertion> inserted = {}) {
    zmtp::message_batch batch;
    for (const auto& each : all) {
      batch.append(each);
    }
    port->publish(batch, inserted);
    EXPECT_TRUE(batch.empty());
    EXPECT_TRUE(inserted.empty());
  }
  void tell(zmtp::peer_id to, std::string_view text) {
    std::vector<server_actions::addressed> all;
    all.push_back({to, zmtp::message{text}});
    port->tell(all);
  }
  [[nodiscard]] texts receive_until(zmtp::sub_socket& from, std::string_view last) {
    texts all;
    zmtp::message m;
    while (!HasFailure() && (all.empty() || all.back() != last)) {
      run_until([&] { return from.try_receive(m); });
      all.emplace_back(m.front());
    }
    return all;
  }

  std::shared_ptr<publisher_port> port;
  std::string at;
  int rooms = 0;
};

TEST_F(publisher_port_test, inserts_for_one_subscriber_between_publications) {
  start(100'000);
  zmtp::sub_socket one{executor()};
  zmtp::sub_socket other{executor()};
  const auto id = join(one);
  (void)join(other);
  publish({"1", "2", "3"}, {{0, {id, zmtp::message{"a"}}},
                            {2, {id, zmtp::message{"b"}}},
                            {2, {id, zmtp::message{"c"}}},
                            {3, {id, zmtp::message{"d"}}}});
  tell(id, "told");
  publish({"end"});
  EXPECT_EQ(receive_until(one, "end"), (texts{"a", "1", "2", "b", "c", "3", "d", "told", "end"}));
  EXPECT_EQ(receive_until(other, "end"), (texts{"1", "2", "3", "end"}));
  EXPECT_FALSE(port->is_full());
}

// A turn of the socket writes once to each peer, so that its queue fills within a handler.
TEST_F(publisher_port_test, publications_that_wait_keep_their_order_and_drop_insertions) {
  start(1'000);
  zmtp::sub_socket subscriber{executor()};
  const auto id = join(subscriber);
  const std::string filler(100, 'x');
  texts expected;
  texts later;
  for (int i = 0; i != 50; ++i) {
    expected.push_back(std::to_string(i) + filler);
    later.push_back("later " + std::to_string(i) + filler);
  }
  later.emplace_back("end");
  bool is_done = false;
  zmtp::sub_socket second{executor()};
  second.subscribe("");
  zmtp::message_batch notices;
  port->socket().async_receive(notices, [&](zmtp::error_code ec, std::size_t) {
    EXPECT_FALSE(ec);
    publish(expected);
    EXPECT_TRUE(port->is_full());
    publish(later, {{1, {id, zmtp::message{"dropped"}}}});
    is_done = true;
  });
  second.connect(at);
  run_until([&] { return is_done; });
  expected.insert(expected.end(), later.begin(), later.end());
  EXPECT_EQ(receive_until(subscriber, "end"), expected);
  EXPECT_FALSE(port->is_full());
  EXPECT_EQ(rooms, 1);
}

TEST_F(publisher_port_test, a_closed_publisher_drops_what_it_gets) {
  start(100'000);
  port->socket().close();
  publish({"1", "2"});
  EXPECT_FALSE(port->is_full());
}

}  // namespace
}  // namespace chp
