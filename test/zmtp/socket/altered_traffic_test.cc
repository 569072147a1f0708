// Altered traffic of an admitted client with CURVE ends only its connection.

#include "test/support/monitored_test.h"
#include "test/support/raw_peer.h"
#include "test/support/wire.h"
#include "test/zmtp/socket/security_fixture.h"
#include "zmtp/socket/pipeline_sockets.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace zmtp::test {
namespace {

using event_kind = monitor_event::kind;

// Sees and alters the traffic between a client and a server.
class on_the_way {
public:
  on_the_way(pattern_test& test, std::string at)
      : test_{test}, listener_{test.context()}, near_{test.context()}, far_{test.context()} {
    listener_.start_accepting(near_);
    far_to_ = std::move(at);
  }
  [[nodiscard]] std::string endpoint() const { return listener_.endpoint(); }
  void open() {
    test_.run_until([&] { return listener_.accepted(); });
    near_.start_reading();
    far_.connect(*zmtp::endpoint::parse(far_to_));
    far_.start_reading();
  }
  // Carries bytes in both directions until `done`.
  void carry_until(const std::function<bool()>& done) {
    test_.run_until([&] {
      carry(near_, to_far_, far_);
      carry(far_, to_near_, near_);
      return done();
    });
  }
  // Returns bytes of the client that were not carried yet.
  [[nodiscard]] std::string held(std::size_t least) {
    test_.run_until([&] { return near_.received().size() >= to_far_ + least; });
    auto bytes = near_.received().substr(to_far_);
    to_far_ = near_.received().size();
    return bytes;
  }
  void inject(std::string_view bytes) { far_.send(bytes); }
  [[nodiscard]] bool ended() const { return far_.ended(); }

private:
  static void carry(raw_peer& from, std::size_t& carried, raw_peer& to) {
    if (from.received().size() > carried) {
      const auto bytes = from.received().substr(carried);
      carried += bytes.size();
      to.send(bytes);
    }
  }

  pattern_test& test_;
  raw_listener listener_;
  raw_peer near_;
  raw_peer far_;
  std::string far_to_;
  std::size_t to_far_ = 0;
  std::size_t to_near_ = 0;
};

class altered_traffic : public monitored_test {
protected:
  altered_traffic() {
    good.connect(at);
    bad.connect(way.endpoint());
    way.open();
    put(good, {"good"});
    EXPECT_EQ(take(pull), message{"good"});
    EXPECT_EQ(bad.try_send({"first"}), send_status::queued);
    message m;
    way.carry_until([&] { return pull.try_receive(m); });
    EXPECT_EQ(m, message{"first"});
  }
  // The bytes of the bad connection end it, with this error, and disturb no other peer.
  void expect_end(const std::string& bytes, errc fault) {
    way.inject(bytes);
    EXPECT_EQ(next(watched, event_kind::detached).reason, fault);
    run_until([&] { return way.ended(); });
    EXPECT_EQ(pull.peers().size(), 1U);
    put(good, {"still good"});
    EXPECT_EQ(take(pull), message{"still good"});
  }
  [[nodiscard]] std::string second() {
    EXPECT_EQ(bad.try_send({"second"}), send_status::queued);
    return way.held(2 + 33 + 6);
  }

  pull_socket pull{executor(), server_of_curve()};
  monitor watched = pull.monitor();
  std::string at = pull.bind("tcp://127.0.0.1:*").to_string();
  on_the_way way{*this, at};
  push_socket good{executor(), client_of_curve()};
  push_socket bad{executor(), client_of_curve()};
};

TEST_F(altered_traffic, a_changed_byte_ends_only_this_connection) {
  auto bytes = second();
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  expect_end(bytes, errc::box_not_opened);
}

TEST_F(altered_traffic, a_replayed_message_ends_only_this_connection) {
  const auto bytes = second();
  way.inject(bytes);
  EXPECT_EQ(take(pull), message{"second"});
  expect_end(bytes, errc::nonce_not_increased);
}

TEST_F(altered_traffic, a_message_in_clear_ends_only_this_connection) {
  expect_end(framed({"injected"}), errc::unexpected_command);
}

TEST_F(altered_traffic, reordered_messages_end_only_this_connection) {
  const auto first = second();
  const auto then = second();
  way.inject(then);
  EXPECT_EQ(take(pull), message{"second"});
  expect_end(first, errc::nonce_not_increased);
}

}  // namespace
}  // namespace zmtp::test
