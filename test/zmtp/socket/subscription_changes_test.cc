// A subscriber that changes its subscriptions repeatedly, and a publisher that does not read for a
// while. The queue of changes does not grow with time, and the publisher finally has the right
// subscriptions.

#include "test/support/pattern_test.h"
#include "test/support/raw_peer.h"
#include "test/support/wire.h"
#include "zmtp/socket/pubsub_sockets.h"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

namespace zmtp::test {
namespace {

using topic_set = std::set<std::string>;

constexpr int count = 1'000;
constexpr int rounds = 300;

class changing_subscriptions : public pattern_test {
protected:
  static std::string topic(int n) { return "topic " + std::to_string(n); }
  // Subscribes to all topic_set and cancels them, so often that 600,000 changes come of it; ends with every third.
  template <class Subscriber>
  void change_for_long(Subscriber& ours) {
    for (int round = 0; round < rounds; ++round) {
      for (int n = 0; n < count; ++n) {
        ours.subscribe(topic(n));
      }
      run_ready();
      for (int n = 0; n < count; ++n) {
        ours.unsubscribe(topic(n));
      }
      run_ready();
    }
    for (int n = 0; n < count; n += 3) {
      ours.subscribe(topic(n));
    }
    run_ready();
  }
  static topic_set every_third() {
    topic_set all;
    for (int n = 0; n < count; n += 3) {
      all.insert(topic(n));
    }
    return all;
  }
  // Each begins and ends in turn.
  static void apply(bool subscribe, std::string_view topic, topic_set& to) {
    ASSERT_TRUE(subscribe ? to.emplace(topic).second : to.erase(std::string{topic}) != 0) << topic;
  }
  static topic_set told_by(std::string_view traffic) {
    topic_set all;
    for (const auto& body : content_of(traffic).commands) {
      for (const auto& [name, subscribe] : {std::pair{"\x09SUBSCRIBE", true}, std::pair{"\x06"
                                                                                        "CANCEL",
                                                                                        false}}) {
        if (body.starts_with(name)) {
          apply(subscribe, std::string_view{body}.substr(std::string_view{name}.size()), all);
        }
      }
    }
    return all;
  }
};

TEST_F(changing_subscriptions, a_publisher_that_does_not_read_is_sent_the_net_changes) {
  socket_options options;
  options.transport.send_buffer = 16 * 1024;
  sub_socket ours{executor(), options};
  raw_listener listener{context()};
  raw_peer theirs{context()};
  listener.start_accepting(theirs);
  ours.connect(listener.endpoint());
  run_until([&] { return listener.accepted(); });
  theirs.shake_hands("PUB");
  run_until([&] { return !ours.peers().empty(); });
  change_for_long(ours);
  theirs.start_reading();
  run_until([&] { return told_by(theirs.traffic()) == every_third(); });
  run_ready();
  EXPECT_EQ(told_by(theirs.traffic()), every_third());
  // The kernel took some at first, and the net changes waited. All changes would be more than 10 MB.
  EXPECT_LT(theirs.traffic().size(), 4'000'000U);
  EXPECT_EQ(ours.peers().size(), 1U);
}

TEST_F(changing_subscriptions, a_stopped_publisher_in_the_process_gets_the_net_changes) {
  asio::io_context elsewhere;
  socket_options options;
  options.xpub.notifications = xpub_options::notices::all;
  xpub_socket theirs{elsewhere.get_executor(), options};
  theirs.bind("inproc://does not run");
  xsub_socket ours{executor()};
  ours.connect("inproc://does not run");
  for (int i = 0; i < 3; ++i) {
    elsewhere.poll();
    run_ready();
  }
  ASSERT_EQ(ours.peers().size(), 1U);
  change_for_long(ours);
  topic_set notified;
  int changes = 0;
  for (bool any = true; any;) {
    elsewhere.restart();
    any = elsewhere.poll() != 0;
    for (routed_message m; theirs.try_receive(m); any = true) {
      ++changes;
      const auto notice = m.content.front();
      apply(notice.front() == '\1', notice.substr(1), notified);
    }
  }
  EXPECT_EQ(notified, every_third());
  EXPECT_LE(changes, 2 * count);
}

TEST_F(changing_subscriptions, in_the_process_notices_stop_at_the_receive_mark) {
  constexpr std::size_t mark = 100;
  auto options = with_marks(mark);
  options.xpub.notifications = xpub_options::notices::all;
  xpub_socket theirs{executor(), options};
  xsub_socket ours{executor()};
  join(theirs, ours, medium::inproc);
  run_until([&] { return !theirs.peers().empty() && !ours.peers().empty(); });
  change_for_long(ours);
  ASSERT_EQ(theirs.peers().size(), 1U);
  EXPECT_LE(theirs.peers().front().messages_to_receive, mark + 1);
  topic_set notified;
  std::size_t changes = 0;
  for (bool any = true; any;) {
    run_ready();
    any = false;
    for (routed_message m; theirs.try_receive(m); any = true) {
      ++changes;
      const auto notice = m.content.front();
      apply(notice.front() == '\1', notice.substr(1), notified);
    }
  }
  EXPECT_EQ(notified, every_third());
  EXPECT_LE(changes, 4U * count);
  // The publisher uses the subscriptions that it received.
  ASSERT_EQ(theirs.try_send({topic(3)}), send_status::queued);
  ASSERT_EQ(theirs.try_send({topic(9)}), send_status::queued);
  EXPECT_EQ(take(ours), (message{topic(3)}));
  EXPECT_EQ(take(ours), (message{topic(9)}));
}

// Between two runs of the executor.
TEST_F(changing_subscriptions, changes_within_one_handler_are_bounded_too) {
  socket_options options;
  options.xpub.notifications = xpub_options::notices::all;
  for (const auto over : {medium::tcp, medium::inproc}) {
    xpub_socket theirs{executor(), options};
    sub_socket ours{executor()};
    join(theirs, ours, over);
    run_until([&] { return !theirs.peers().empty() && !ours.peers().empty(); });
    for (int i = 0; i < 100'000; ++i) {
      ours.subscribe("A");
      ours.unsubscribe("A");
    }
    ours.subscribe("B");
    topic_set notified;
    int changes = 0;
    run_until([&] {
      for (routed_message m; theirs.try_receive(m);) {
        ++changes;
        const auto notice = m.content.front();
        apply(notice.front() == '\1', notice.substr(1), notified);
      }
      return notified == topic_set{"B"};
    });
    EXPECT_LE(changes, 1'001);
  }
}

// A publisher that keeps last values sends them again to a subscriber that asks again.
TEST_F(changing_subscriptions, a_publisher_that_reads_gets_each_of_them) {
  socket_options options;
  options.xpub.notifications = xpub_options::notices::all;
  for (const auto over : {medium::tcp, medium::inproc}) {
    xpub_socket theirs{executor(), options};
    sub_socket ours{executor()};
    join(theirs, ours, over);
    run_until([&] { return !theirs.peers().empty() && !ours.peers().empty(); });
    ours.subscribe("A");
    ours.unsubscribe("A");
    ours.subscribe("A");
    for (const std::string notice : {"\1A", "-A", "\1A"}) {
      routed_message m;
      run_until([&] { return theirs.try_receive(m); });
      EXPECT_EQ(m.content.front().front() == '\1', notice.front() == '\1');
    }
  }
}

}  // namespace
}  // namespace zmtp::test
