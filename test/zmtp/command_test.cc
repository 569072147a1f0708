#include "zmtp/command.h"

#include "test/support/bytes.h"
#include "test/support/commands.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace zmtp {
namespace {

using test::bytes;
using test::for_each_changed_byte;
using test::for_each_truncation;

template <class Kind>
Kind as(const result<command::traffic>& parsed) {
  return std::get<Kind>(parsed.value());
}

std::string topic_of(std::size_t size) { return std::string(size, 't'); }

TEST(command, frames_are_exact) {
  std::string to;
  const auto taken = [&] { return std::exchange(to, {}); };
  command::put_subscribe(to, "A", 1);
  EXPECT_EQ(taken(), bytes("04 0b 09 'SUBSCRIBE' 41"));
  command::put_cancel(to, "A", 1);
  EXPECT_EQ(taken(), bytes("04 08 06 'CANCEL' 41"));
  command::put_subscribe(to, "A", 0);
  EXPECT_EQ(taken(), bytes("00 02 01 41"));
  command::put_cancel(to, "A", 0);
  EXPECT_EQ(taken(), bytes("00 02 00 41"));
  command::put_ping(to, 30, "");
  EXPECT_EQ(taken(), bytes("04 07 04 'PING' 00 1e"));
  command::put_ping(to, 0xfffe, "ctx");
  EXPECT_EQ(taken(), bytes("04 0a 04 'PING' ff fe 'ctx'"));
  command::put_pong(to, "ctx");
  EXPECT_EQ(taken(), bytes("04 08 04 'PONG' 'ctx'"));
  command::put_error(to, "400");
  EXPECT_EQ(taken(), bytes("04 0a 05 'ERROR' 03 '400'"));
  command::put(to, "READY", bytes("0b 'Socket-Type' 00 00 00 03 'SUB'"));
  EXPECT_EQ(taken(), bytes("04 19 05 'READY' 0b 'Socket-Type' 00 00 00 03 'SUB'"));
}

TEST(command, frames_are_appended) {
  std::string to = "before";
  command::put_pong(to, "");
  command::put_pong(to, "");
  EXPECT_EQ(to, "before" + bytes("04 05 04 'PONG' 04 05 04 'PONG'"));
}

TEST(command, topics_around_255_bytes_are_framed_with_their_size) {
  std::string to;
  // The topic's frame has one byte more than it, the command's ten.
  command::put_subscribe(to, topic_of(254), 0);
  EXPECT_EQ(to, bytes("00 ff 01") + topic_of(254));
  to.clear();
  command::put_subscribe(to, topic_of(255), 0);
  EXPECT_EQ(to, bytes("02 00 00 00 00 00 00 01 00 01") + topic_of(255));
  to.clear();
  command::put_subscribe(to, topic_of(245), 1);
  EXPECT_EQ(to, bytes("04 ff 09 'SUBSCRIBE'") + topic_of(245));
  to.clear();
  command::put_subscribe(to, topic_of(246), 1);
  EXPECT_EQ(to, bytes("06 00 00 00 00 00 00 01 00 09 'SUBSCRIBE'") + topic_of(246));
}

TEST(command, a_reason_beyond_255_bytes_is_cut) {
  std::string to;
  command::put_error(to, std::string(300, 'r'));
  EXPECT_EQ(to, bytes("06 00 00 00 00 00 00 01 06 05 'ERROR' ff") + std::string(255, 'r'));
}

TEST(command, is_split_after_its_name) {
  const auto text = bytes("05 'READY' 'data'");
  const auto named = command::split(text);
  ASSERT_TRUE(named);
  EXPECT_EQ(named->name, "READY");
  EXPECT_EQ(named->data, "data");
  const auto bare = command::split(bytes("01 'x'"));
  ASSERT_TRUE(bare);
  EXPECT_EQ(bare->data.size(), 0U);
}

TEST(command, without_a_whole_name_is_bad) {
  for (const auto& text : {bytes(""), bytes("00"), bytes("00 'READY'"), bytes("05 'READ'"),
                           bytes("01"), bytes("ff 41*254"), bytes("'^RRO'")}) {
    const auto named = command::split(text);
    ASSERT_FALSE(named) << text;
    EXPECT_EQ(named.error(), errc::bad_command) << text;
  }
}

TEST(command, libzmqs_misspelt_error_is_an_error) {
  const auto text = bytes("5e 52 52 4f 52 03 '400'");
  const auto named = command::split(text);
  ASSERT_TRUE(named);
  EXPECT_EQ(named->name, "ERROR");
  const auto parsed = command::parse_traffic(text, {});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(as<command::error>(parsed).reason, "400");
}

TEST(command, a_long_name_that_begins_like_the_misspelt_error_is_its_own) {
  const auto text = bytes("5e 'RROR' 41*90 'data'");
  const auto named = command::split(text);
  ASSERT_TRUE(named);
  EXPECT_EQ(named->name, "RROR" + std::string(90, 'A'));
  EXPECT_EQ(named->data, "data");
}

TEST(command, traffic_is_read) {
  const auto subscribe = bytes("09 'SUBSCRIBE' 'A'");
  EXPECT_EQ(as<command::subscribe>(command::parse_traffic(subscribe, {})).topic, "A");
  const auto everything = bytes("09 'SUBSCRIBE'");
  EXPECT_EQ(as<command::subscribe>(command::parse_traffic(everything, {})).topic, "");
  const auto cancel = bytes("06 'CANCEL' 'A'");
  EXPECT_EQ(as<command::cancel>(command::parse_traffic(cancel, {})).topic, "A");
  const auto ping = bytes("04 'PING' 01 02 'ctx'");
  EXPECT_EQ(as<command::ping>(command::parse_traffic(ping, {})).ttl, 0x0102);
  EXPECT_EQ(as<command::ping>(command::parse_traffic(ping, {})).context, "ctx");
  const auto pong = bytes("04 'PONG' 'ctx'");
  EXPECT_EQ(as<command::pong>(command::parse_traffic(pong, {})).context, "ctx");
  const auto error = bytes("05 'ERROR' 03 '300'");
  EXPECT_EQ(as<command::error>(command::parse_traffic(error, {})).reason, "300");
  const auto silent = bytes("05 'ERROR' 00");
  EXPECT_EQ(as<command::error>(command::parse_traffic(silent, {})).reason, "");
}

TEST(command, others_are_unknown) {
  for (const std::string name : {"JOIN", "LEAVE", "READY", "subscribe", "PIN", "PINGS", "X"}) {
    std::string text(1, static_cast<char>(name.size()));
    text += name + "data";
    EXPECT_EQ(as<command::unknown>(command::parse_traffic(text, {})).name, name);
  }
}

TEST(command, each_fault_has_its_name) {
  const struct {
    const char* what;
    std::string text;
    errc fault;
  } faults[] = {
      {"empty", bytes(""), errc::bad_command},
      {"name cut short", bytes("04 'PIN'"), errc::bad_command},
      {"no TTL", bytes("04 'PING'"), errc::bad_ping},
      {"half a TTL", bytes("04 'PING' 00"), errc::bad_ping},
      {"no reason", bytes("05 'ERROR'"), errc::bad_command},
      {"reason cut short", bytes("05 'ERROR' 03 '40'"), errc::bad_command},
      {"bytes behind the reason", bytes("05 'ERROR' 03 '4000'"), errc::bad_command},
      {"misspelt, reason cut short", bytes("'^RROR' 03 '40'"), errc::bad_command},
      {"topic of 1,025 bytes", bytes("09 'SUBSCRIBE' 74*1025"), errc::topic_too_long},
      {"cancelled topic of 1,025 bytes", bytes("06 'CANCEL' 74*1025"), errc::topic_too_long},
  };
  for (const auto& [what, text, fault] : faults) {
    const auto parsed = command::parse_traffic(text, {});
    ASSERT_FALSE(parsed) << what;
    EXPECT_EQ(parsed.error(), fault) << what;
  }
}

TEST(command, sizes_up_to_the_limits_are_read) {
  for (const std::size_t size : {0U, 7U, 16U, 17U, 60'000U}) {
    const auto text = bytes("04 'PING' 00 00") + std::string(size, 'c');
    EXPECT_EQ(as<command::ping>(command::parse_traffic(text, {})).context.size(), size);
  }
  for (const std::size_t size : {254U, 255U, 256U, 1024U}) {
    const auto text = bytes("09 'SUBSCRIBE'") + topic_of(size);
    EXPECT_EQ(as<command::subscribe>(command::parse_traffic(text, {})).topic, topic_of(size));
  }
}

const std::string valid_bodies[] = {
    bytes("09 'SUBSCRIBE' 'A'"), bytes("06 'CANCEL' 'A'"),     bytes("04 'PING' 00 1e 'ctx'"),
    bytes("04 'PONG' 'ctx'"),    bytes("05 'ERROR' 03 '400'"), bytes("04 'JOIN' 'group'"),
    bytes("'^RROR' 03 '400'"),
};

void expect_defined_command(std::string_view body) {
  const auto parsed = command::parse_traffic(body, {});
  if (parsed) {
    EXPECT_EQ(test::written_again(*parsed, body), test::spelt_right(body));
  } else {
    EXPECT_TRUE(parsed.error() == errc::bad_command || parsed.error() == errc::bad_ping)
        << parsed.error().message();
  }
}

TEST(command, any_truncation_or_changed_byte_is_rejected_or_preserved) {
  for (const auto& body : valid_bodies) {
    expect_defined_command(body);
    for_each_truncation(body, expect_defined_command);
    for_each_changed_byte(body, expect_defined_command);
  }
}

TEST(command, a_subscription_is_also_a_message) {
  const struct {
    std::string part;
    bool subscribe;
    std::string topic;
  } subscriptions[] = {
      {bytes("01 'topic'"), true, "topic"},
      {bytes("00 'topic'"), false, "topic"},
      {bytes("01"), true, ""},
      {bytes("00"), false, ""},
      {bytes("01 00 01"), true, bytes("00 01")},
  };
  for (const auto& [part, subscribe, topic] : subscriptions) {
    const auto parsed = command::parse_subscription(part);
    const auto* found = std::get_if<command::subscription>(&parsed);
    ASSERT_NE(found, nullptr) << part;
    EXPECT_EQ(found->subscribe, subscribe) << part;
    EXPECT_EQ(found->topic, topic) << part;
  }
  for (const auto& other : {bytes(""), bytes("02 'topic'"), bytes("'topic'"), bytes("ff")}) {
    EXPECT_TRUE(std::holds_alternative<std::monostate>(command::parse_subscription(other)))
        << other;
  }
}

}  // namespace
}  // namespace zmtp
