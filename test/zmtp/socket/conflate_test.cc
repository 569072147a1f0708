// conflate over loopback: a peer that does not read for a while gets the last message, whole, and a
// sender never waits.

#include "test/support/pattern_test.h"
#include "test/support/raw_peer.h"
#include "test/support/wire.h"
#include "zmtp/socket/pipeline_sockets.h"
#include "zmtp/socket/pubsub_sockets.h"
#include "zmtp/socket/request_sockets.h"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace zmtp::test {
namespace {

constexpr int many = 5'000;

socket_options conflating() {
  socket_options options;
  options.conflate = true;
  return options;
}

class conflate : public pattern_test {
protected:
  // Until the last one has come; returns how many came before it.
  template <class Socket>
  int take_until_last(Socket& from, const message& last) {
    int before = 0;
    for (auto m = take(from); m != last && !HasFailure(); m = take(from)) {
      EXPECT_EQ(m.size(), last.size());
      ++before;
    }
    return before;
  }
};

TEST_F(conflate, a_receiver_that_reads_late_gets_the_last) {
  push_socket push{executor()};
  pull_socket pull{executor(), conflating()};
  join(pull, push);
  const message last{"last", "of all", ""};
  for (int n = 0; n < many; ++n) {
    put(push, {"one", std::to_string(n), ""});
  }
  put(push, last);
  // The receiver's side has read on meanwhile, though its user has not.
  run_until([&] { return pull.counters().dropped_conflated == many; });
  EXPECT_EQ(take(pull), last);
  message more;
  EXPECT_FALSE(pull.try_receive(more));
  EXPECT_EQ(pull.counters().messages_received, 1U);
}

TEST_F(conflate, a_sender_never_waits_and_its_last_arrives) {
  push_socket push{executor(), conflating()};
  raw_peer theirs{context()};
  theirs.connect(push.bind("tcp://127.0.0.1:*"));
  theirs.shake_hands("PULL");
  wait_for_peer(push);
  const std::string body(20'000, 'x');
  for (int n = 0; n < many; ++n) {
    ASSERT_EQ(push.try_send({std::to_string(n), body}), send_status::queued);
    run_ready();
  }
  EXPECT_GT(push.counters().dropped_conflated, 0U);
  theirs.start_reading();
  const auto last = framed({std::to_string(many - 1), body});
  run_until([&] { return theirs.traffic().ends_with(last); });
  const auto got = content_of(theirs.traffic());
  EXPECT_EQ(got.unread, 0U) << "nothing was cut";
  EXPECT_EQ(got.messages.size() + push.counters().dropped_conflated,
            static_cast<std::size_t>(many));
}

TEST_F(conflate, a_subscriber_gets_the_last_matching_message) {
  pub_socket publisher{executor(), conflating()};
  sub_socket subscriber{executor(), conflating()};
  subscriber.subscribe("A");
  join(publisher, subscriber);
  run_until([&] {
    EXPECT_EQ(publisher.try_send({"A", "first"}), send_status::queued);
    return publisher.counters().messages_sent != 0;
  });
  for (int n = 0; n < many; ++n) {
    ASSERT_EQ(publisher.try_send({"A", std::to_string(n)}), send_status::queued);
    ASSERT_EQ(publisher.try_send({"B", std::to_string(n)}), send_status::queued);
  }
  EXPECT_LT(take_until_last(subscriber, {"A", std::to_string(many - 1)}), many);
  EXPECT_EQ(publisher.counters().dropped_full, 0U);
}

TEST_F(conflate, a_dealer_conflates_in_both_directions) {
  dealer_socket one{executor(), conflating()};
  dealer_socket other{executor(), conflating()};
  join(one, other);
  wait_for_peer(one);
  for (int n = 0; n < many; ++n) {
    ASSERT_EQ(one.try_send({"to the other", std::to_string(n)}), send_status::queued);
    ASSERT_EQ(other.try_send({"to the one", std::to_string(n)}), send_status::queued);
  }
  EXPECT_LT(take_until_last(other, {"to the other", std::to_string(many - 1)}), many);
  EXPECT_LT(take_until_last(one, {"to the one", std::to_string(many - 1)}), many);
}

// The receiver's context does not run meanwhile.
TEST_F(conflate, a_stopped_receiver_in_the_process_gets_only_the_last) {
  for (const bool receiver_conflates : {false, true}) {
    asio::io_context elsewhere;
    pull_socket pull{elsewhere.get_executor(),
                     receiver_conflates ? conflating() : socket_options{}};
    pull.bind("inproc://does not run");
    push_socket push{executor(), conflating()};
    push.connect("inproc://does not run");
    for (int i = 0; i < 3; ++i) {
      elsewhere.poll();
      run_ready();
    }
    ASSERT_EQ(push.peers().size(), 1U);
    const std::string large(20'000, 'x');
    for (int n = 0; n < many; ++n) {
      // Large ones and small ones lie differently in a queue.
      ASSERT_EQ(push.try_send({std::to_string(n), n % 2 == 0 ? large : "small"}),
                send_status::queued);
      if (n % 3 == 0) {
        run_ready();
      }
    }
    run_ready();
    EXPECT_EQ(push.peers().front().messages_to_send, 1U);
    EXPECT_LT(push.peers().front().bytes_to_send, 100U);
    EXPECT_EQ(push.counters().dropped_conflated, many - 1U);
    elsewhere.restart();
    elsewhere.poll();
    message m;
    ASSERT_TRUE(pull.try_receive(m));
    EXPECT_EQ(m, (message{std::to_string(many - 1), "small"}));
    EXPECT_FALSE(pull.try_receive(m));
    // Later messages arrive as usual.
    ASSERT_EQ(push.try_send({"next"}), send_status::queued);
    run_ready();
    elsewhere.restart();
    elsewhere.poll();
    ASSERT_TRUE(pull.try_receive(m));
    EXPECT_EQ(m, message{"next"});
    EXPECT_EQ(push.counters().dropped_conflated, many - 1U);
    EXPECT_EQ(push.peers().front().messages_to_send, 1U);
  }
}

// The receiver's context runs, its user does not receive; then its own mark holds, and one message waits behind it.
TEST_F(conflate, in_one_process_a_full_receiver_leaves_one_message_pending) {
  constexpr std::size_t mark = 10;
  sub_socket subscriber{executor(), with_marks(mark)};
  subscriber.subscribe("");
  pub_socket publisher{executor(), conflating()};
  join(publisher, subscriber, medium::inproc);
  run_until([&] { return publisher.subscribers("") == 1; });
  for (int n = 0; n < many; ++n) {
    ASSERT_EQ(publisher.try_send({std::to_string(n)}), send_status::queued);
    run_ready();
  }
  EXPECT_LE(publisher.peers().front().messages_to_send, 3U);
  EXPECT_LE(subscriber.peers().front().messages_to_receive, mark + 1);
  EXPECT_LE(take_until_last(subscriber, {std::to_string(many - 1)}), static_cast<int>(mark) + 2);
}

// Sent before there is a connection: the last one is for the peer that comes.
TEST_F(conflate, a_late_receiver_in_the_process_gets_the_last) {
  push_socket push{executor(), conflating()};
  push.connect("inproc://comes late");
  for (int n = 0; n < many; ++n) {
    ASSERT_EQ(push.try_send({std::to_string(n)}), send_status::queued);
    if (n % 1'000 == 0) {
      run_ready();
    }
  }
  pull_socket pull{executor()};
  pull.bind("inproc://comes late");
  EXPECT_EQ(take(pull), message{std::to_string(many - 1)});
  message more;
  run_ready();
  EXPECT_FALSE(pull.try_receive(more));
}

TEST_F(conflate, is_rejected_for_types_without_a_meaning_for_it) {
  EXPECT_THROW((rep_socket{executor(), conflating()}), boost::system::system_error);
  EXPECT_THROW((router_socket{executor(), conflating()}), boost::system::system_error);
}

}  // namespace
}  // namespace zmtp::test
