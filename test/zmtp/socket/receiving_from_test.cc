// The sender of a message, on sockets whose peers are alike.

#include "test/support/pattern_test.h"
#include "zmtp/socket/pipeline_sockets.h"
#include "zmtp/socket/pubsub_sockets.h"
#include "zmtp/socket/request_sockets.h"

#include <optional>
#include <string>
#include <vector>

namespace zmtp::test {
namespace {

class receiving_from : public pattern_test {
protected:
  static socket_options called(std::string name) {
    socket_options options;
    options.routing_id = std::move(name);
    return options;
  }
  static socket_options with_extension(std::string name) {
    socket_options options;
    options.extensions = {std::move(name)};
    return options;
  }
  // The extensions that a peer announces.
  static std::string extension(const peer_info* of) {
    const auto* const said = of == nullptr ? nullptr : of->properties.find("X-Zinc");
    return said == nullptr ? "" : *said;
  }
  template <class Socket>
  [[nodiscard]] routed_message take_from(Socket& from) {
    routed_message m;
    run_until([&] { return from.try_receive_from(m); });
    EXPECT_EQ(m.what, routed_message::kind::message);
    return m;
  }
};

TEST_F(receiving_from, a_pull_knows_its_pushers) {
  pull_socket pull{executor()};
  const auto at = pull.bind("tcp://127.0.0.1:*").to_string();
  push_socket one{executor(), with_extension("one")};
  one.connect(at);
  put(one, {"from one"});
  auto m = take_from(pull);
  EXPECT_EQ(m.content, message{"from one"});
  EXPECT_EQ(extension(pull.peer(m.peer)), "one");
  push_socket other{executor(), with_extension("other")};
  other.connect(at);
  put(other, {"from the other"});
  m = take_from(pull);
  EXPECT_EQ(m.content, message{"from the other"});
  EXPECT_EQ(extension(pull.peer(m.peer)), "other");
}

TEST_F(receiving_from, a_sub_gets_notices_of_publishers_in_order_with_their_messages) {
  socket_options options;
  options.announce_peers = true;
  sub_socket sub{executor(), options};
  sub.subscribe("");
  socket_options own;
  own.extensions = {"known"};
  std::optional<pub_socket> pub{std::in_place, executor(), own};
  sub.connect(pub->bind("tcp://127.0.0.1:*").to_string());
  std::vector<routed_message::kind> received;
  message_batch batch;
  const auto hear = [&] {
    const auto before = received.size();
    sub.async_receive(batch, [&](error_code ec, std::size_t) {
      EXPECT_FALSE(ec);
      for (const auto item : batch) {
        received.push_back(item.what());
      }
    });
    run_until([&] { return received.size() > before; });
  };
  hear();
  ASSERT_NE(sub.peer(batch.front().peer()), nullptr);
  EXPECT_NE(sub.peer(batch.front().peer())->properties.find("X-Zinc"), nullptr);
  run_until([&] { return pub->subscribers("m") == 1; });
  put(*pub, {"m"});
  hear();
  pub.reset();
  hear();
  using enum routed_message::kind;
  EXPECT_EQ(received, (std::vector{attached, message, detached}));
}

TEST_F(receiving_from, a_sub_still_gets_only_its_topics) {
  pub_socket one{executor()};
  pub_socket other{executor()};
  sub_socket sub{executor()};
  sub.subscribe("a");
  const auto at_one = one.bind("tcp://127.0.0.1:*").to_string();
  const auto at_other = other.bind("tcp://127.0.0.1:*").to_string();
  sub.connect(at_one);
  sub.connect(at_other);
  run_until([&] { return one.subscribers("a") == 1 && other.subscribers("a") == 1; });
  message_batch batch;
  std::size_t received = 0;
  bool two_senders = false;
  std::optional<peer_id> first;
  for (auto* const from : {&one, &other}) {
    EXPECT_EQ(from->try_send(message{"ab"}), send_status::queued);
    EXPECT_EQ(from->try_send(message{"b"}), send_status::queued);
    std::optional<error_code> end;
    sub.async_receive(batch, [&](error_code ec, std::size_t count) {
      end = ec;
      received += count;
    });
    run_until([&] { return end.has_value(); });
    ASSERT_EQ(batch.size(), 1U);
    EXPECT_EQ(batch.front().to_message(), message{"ab"});
    two_senders = first && *first != batch.front().peer();
    first = batch.front().peer();
  }
  EXPECT_EQ(received, 2U);
  EXPECT_TRUE(two_senders);
}

TEST_F(receiving_from, a_reply_and_a_request_come_without_their_envelopes) {
  rep_socket rep{executor()};
  req_socket req{executor(), called("asks")};
  join(rep, req);
  put(req, {"question"});
  std::optional<routed_message> asked;
  rep.async_receive_from([&](error_code ec, routed_message m) {
    EXPECT_FALSE(ec);
    asked = std::move(m);
  });
  run_until([&] { return asked.has_value(); });
  EXPECT_EQ(asked->content, message{"question"});
  EXPECT_EQ(rep.peer(asked->peer)->routing_id, "asks");
  put(rep, {"answer"});
  const auto answer = take_from(req);
  EXPECT_EQ(answer.content, message{"answer"});
  EXPECT_EQ(req.peer(answer.peer)->type, socket_type::rep);
}

TEST_F(receiving_from, both_ways_of_receiving_use_the_same_queue) {
  dealer_socket one{executor(), called("one")};
  dealer_socket other{executor()};
  join(other, one);
  for (int i = 0; i < 4; ++i) {
    put(one, {std::to_string(i)});
  }
  EXPECT_EQ(take(other), message{"0"});
  EXPECT_EQ(take_from(other).content, message{"1"});
  EXPECT_EQ(take(other), message{"2"});
  const auto last = take_from(other);
  EXPECT_EQ(last.content, message{"3"});
  EXPECT_EQ(other.peer(last.peer)->routing_id, "one");
}

TEST_F(receiving_from, a_cancelled_wait_takes_nothing) {
  pull_socket pull{executor()};
  std::optional<error_code> end;
  pull.async_receive_from(std::chrono::milliseconds{1},
                          [&](error_code ec, const routed_message&) { end = ec; });
  run_until([&] { return end.has_value(); });
  EXPECT_EQ(end, errc::timed_out);
}

}  // namespace
}  // namespace zmtp::test
