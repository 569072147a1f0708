// One peer sends commands as fast as the line takes them: it gets back no more than it sent, and others
// are served meanwhile.

#include "test/support/raw_peer.h"
#include "test/support/wire.h"
#include "test/zmtp/socket/pub_sub_fixture.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace zmtp::test {
namespace {

class churn : public pub_sub_test {
protected:
  // Sends `bytes` repeatedly, while messages go to a good subscriber. Returns when the publisher
  // has ended the conversation, or has decoded everything.
  void publish_while(raw_peer& sends, std::string_view bytes, int times) {
    sub_socket good{executor()};
    good.subscribe("good");
    good.connect(at.to_string());
    std::size_t received = 0;
    for (int i = 0; i < times; ++i) {
      sends.send(bytes);
      const auto before = received;
      run_until([&] {
        EXPECT_EQ(publisher.try_send(message{"good", std::to_string(i)}), send_status::queued);
        message m;
        while (good.try_receive(m)) {
          ++received;
        }
        return received > before;
      });
    }
    run_until([&] { return sends.unsent() == 0 || sends.ended(); });
  }
  raw_peer& bad_peer() {
    bad.connect(at);
    bad.start_reading();
    bad.shake_hands("SUB");
    run_until([&] { return bad.received().size() > 64; });
    return bad;
  }

  pub_socket publisher{executor()};
  endpoint at = publisher.bind("tcp://127.0.0.1:*");
  raw_peer bad{context()};
};

TEST_F(churn, a_churn_of_subscriptions_gets_no_answer) {
  std::string bytes;
  for (int i = 0; i < 2'000; ++i) {
    const auto topic = "topic " + std::to_string(i % 100);
    bytes += framed_command("SUBSCRIBE", topic) + framed_command("CANCEL", topic) +
             framed_command("CANCEL", topic) + framed({"\1" + topic}) +
             framed({std::string(1, '\0') + topic});
  }
  auto& sends = bad_peer();
  publish_while(sends, bytes, 50);
  EXPECT_EQ(sends.traffic(), "");
  EXPECT_FALSE(sends.ended());
}

TEST_F(churn, a_churn_of_pings_gets_no_more_bytes_than_it_sends) {
  std::string bytes;
  for (int i = 0; i < 10; ++i) {
    bytes += ping(std::string(static_cast<std::size_t>(i), 'c'));
  }
  auto& sends = bad_peer();
  publish_while(sends, bytes, 20);
  run_until([&] { return sends.ended(); });
  EXPECT_LE(sends.traffic().size(), bytes.size() * 20);
  EXPECT_EQ(publisher.counters().ended[static_cast<std::size_t>(errc::ping_flood)], 1U);
}

}  // namespace
}  // namespace zmtp::test
