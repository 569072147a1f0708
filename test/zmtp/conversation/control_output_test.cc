#include "zmtp/conversation/control_output.h"

#include "test/support/wire.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace zmtp {
namespace {

using test::bytes;
using test::framed;
using test::framed_command;
using test::ping;
using test::pong;

std::string subscribe(std::string_view topic) { return framed_command("SUBSCRIBE", topic); }

class a_control_output : public testing::Test {
protected:
  // Returns the bytes that may be written now, without writing them.
  std::string offered() {
    control.fill(ttl, peer_minor);
    const auto front = control.front();
    return {reinterpret_cast<const char*>(front.data()), front.size()};
  }
  // Writes everything.
  std::string said() {
    std::string all;
    for (auto next = offered(); !next.empty(); next = offered()) {
      EXPECT_EQ(control.advance(next.size()), 0U);
      all += next;
    }
    return all;
  }

  control_output control;
  std::uint16_t ttl = 0;
  std::uint8_t peer_minor = 1;
};

TEST_F(a_control_output, writes_in_order_and_forgets_what_is_written) {
  control.bytes() += "greeting";
  control.greet(message{"hello", ""});
  EXPECT_TRUE(control.pending());
  EXPECT_EQ(offered(), "greeting" + framed({"hello", ""}));
  EXPECT_EQ(control.advance(3), 0U);
  EXPECT_EQ(offered(), "eting" + framed({"hello", ""}));
  said();
  EXPECT_FALSE(control.pending());
  EXPECT_EQ(offered(), "");
}

TEST_F(a_control_output, returns_the_bytes_of_the_messages_that_follow) {
  control.bytes() += "12345";
  EXPECT_EQ(control.advance(2), 0U);
  EXPECT_EQ(control.advance(10), 7U);
  EXPECT_EQ(control.advance(4), 4U);
}

TEST_F(a_control_output, encodes_nothing_behind_bytes_that_wait) {
  control.pong("begun");
  EXPECT_EQ(offered(), pong("begun"));
  control.pong("old");
  control.ping();
  control.change(true, "A");
  control.pong("new");
  EXPECT_TRUE(control.due());
  EXPECT_EQ(offered(), pong("begun"));
  EXPECT_EQ(said(), pong("begun") + pong("new") + ping() + subscribe("A"));
  EXPECT_FALSE(control.due());
}

TEST_F(a_control_output, a_ping_has_the_ttl) {
  ttl = 0x0102;
  control.ping();
  EXPECT_EQ(said(), bytes("04 07 04 'PING' 01 02"));
}

TEST_F(a_control_output, subscriptions_have_the_form_of_the_peers_version) {
  control.change(true, "A");
  control.change(false, "A");
  EXPECT_EQ(said(), subscribe("A") + framed_command("CANCEL", "A"));
  peer_minor = 0;
  control.change(true, "A");
  control.change(false, "A");
  EXPECT_EQ(said(), framed({bytes("01 'A'")}) + framed({bytes("00 'A'")}));
}

TEST_F(a_control_output, many_changes_are_encoded_in_several_steps) {
  std::string all;
  for (int i = 0; i < 900; ++i) {
    const auto topic = std::string(200, 't') + std::to_string(i);
    control.change(true, topic);
    all += subscribe(topic);
  }
  EXPECT_LT(offered().size(), all.size());
  EXPECT_TRUE(control.changes_due());
  EXPECT_EQ(said(), all);
  EXPECT_FALSE(control.changes_due());
}

TEST_F(a_control_output, drops_what_is_encoded_or_what_is_due) {
  control.bytes() += "encoded";
  control.pong("due");
  control.ping();
  control.change(true, "due");
  control.drop_due();
  EXPECT_FALSE(control.due());
  EXPECT_EQ(said(), "encoded");

  control.bytes() += "encoded";
  control.pong("due");
  EXPECT_EQ(control.advance(3), 0U);
  control.drop_pending();
  EXPECT_EQ(said(), pong("due"));
}

}  // namespace
}  // namespace zmtp
