#include "zmtp/error.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace zmtp {
namespace {

namespace generic = boost::system::errc;

constexpr int last = static_cast<int>(errc::out_of_turn);

std::vector<errc> all_faults() {
  std::vector<errc> faults;
  for (int value = 1; value <= last; ++value) {
    faults.push_back(static_cast<errc>(value));
  }
  return faults;
}

std::string text_of_no_fault() { return error_code{last + 1, zmtp_category()}.message(); }

TEST(error, every_error_has_a_text_of_its_own) {
  std::set<std::string> texts{text_of_no_fault()};
  for (const auto fault : all_faults()) {
    const error_code code = fault;
    EXPECT_TRUE(code.failed());
    EXPECT_TRUE(texts.insert(code.message()).second) << code.message();
  }
  EXPECT_EQ(texts.size(), static_cast<std::size_t>(last) + 1);
}

TEST(error, every_text_names_a_cause_and_a_remedy) {
  for (const auto fault : all_faults()) {
    const auto text = error_code{fault}.message();
    const auto separator = text.find("; ");
    ASSERT_NE(separator, std::string::npos) << text;
    EXPECT_GT(separator, 10U) << text;
    EXPECT_GT(text.size() - separator, 10U) << text;
  }
}

TEST(error, a_number_outside_the_enumeration_says_so) {
  EXPECT_EQ(text_of_no_fault(), "unknown zmtp error");
  EXPECT_EQ((error_code{-1, zmtp_category()}.message()), text_of_no_fault());
  EXPECT_EQ((error_code{0, zmtp_category()}.message()), text_of_no_fault());
}

TEST(error, categories_are_named_and_distinct) {
  EXPECT_STREQ(zmtp_category().name(), "zmtp");
  EXPECT_STREQ(zmtp_condition_category().name(), "zmtp.condition");
  EXPECT_FALSE(zmtp_category() == zmtp_condition_category());
}

TEST(error, every_error_has_exactly_the_condition_of_its_kind) {
  const std::map<errc, condition> expected{
      {errc::not_zmtp, condition::version_refused},
      {errc::version_1_refused, condition::version_refused},
      {errc::version_2_refused, condition::version_refused},
      {errc::bad_mechanism_name, condition::protocol_violation},
      {errc::bad_frame_size, condition::protocol_violation},
      {errc::bad_frame_flags, condition::protocol_violation},
      {errc::bad_command, condition::protocol_violation},
      {errc::unexpected_command, condition::protocol_violation},
      {errc::command_in_message, condition::protocol_violation},
      {errc::bad_metadata, condition::protocol_violation},
      {errc::bad_property_name, condition::protocol_violation},
      {errc::duplicate_property, condition::protocol_violation},
      {errc::bad_ping, condition::protocol_violation},
      {errc::bad_websocket_frame, condition::protocol_violation},
      {errc::bad_upgrade, condition::protocol_violation},
      {errc::bad_tls, condition::protocol_violation},
      {errc::bad_curve_version, condition::protocol_violation},
      {errc::box_not_opened, condition::protocol_violation},
      {errc::bad_cookie, condition::protocol_violation},
      {errc::bad_vouch, condition::protocol_violation},
      {errc::nonce_not_increased, condition::protocol_violation},
      {errc::routing_id_too_long, condition::protocol_violation},
      {errc::frame_too_large, condition::limit_exceeded},
      {errc::message_too_large, condition::limit_exceeded},
      {errc::too_many_parts, condition::limit_exceeded},
      {errc::command_too_large, condition::limit_exceeded},
      {errc::too_many_commands, condition::limit_exceeded},
      {errc::too_many_properties, condition::limit_exceeded},
      {errc::ping_flood, condition::limit_exceeded},
      {errc::topic_too_long, condition::limit_exceeded},
      {errc::too_many_subscriptions, condition::limit_exceeded},
  };
  for (const auto fault : all_faults()) {
    const auto found = expected.find(fault);
    for (const auto c :
         {condition::protocol_violation, condition::limit_exceeded, condition::version_refused}) {
      EXPECT_EQ(error_code{fault} == c, found != expected.end() && found->second == c)
          << error_code{fault}.message() << " / " << make_error_condition(c).message();
    }
  }
}

TEST(error, faults_that_the_system_knows_equal_its_conditions) {
  const std::map<errc, generic::errc_t> expected{
      {errc::host_unreachable, generic::host_unreachable},
      {errc::would_block, generic::operation_would_block},
      {errc::timed_out, generic::timed_out},
      {errc::handshake_timeout, generic::timed_out},
      {errc::probe_unanswered, generic::timed_out},
      {errc::heartbeat_timeout, generic::timed_out},
      {errc::ttl_expired, generic::timed_out},
      {errc::frame_too_large, generic::message_size},
      {errc::message_too_large, generic::message_size},
  };
  for (const auto fault : all_faults()) {
    const auto found = expected.find(fault);
    for (const auto word : {generic::host_unreachable, generic::operation_would_block,
                            generic::timed_out, generic::message_size}) {
      EXPECT_EQ(error_code{fault} == word, found != expected.end() && found->second == word)
          << error_code{fault}.message() << " / " << generic::make_error_condition(word).message();
    }
  }
}

TEST(error, faults_equal_the_same_conditions_as_codes_of_the_standard_library) {
  const std::error_code code = error_code{errc::timed_out};
  EXPECT_EQ(code, std::errc::timed_out);
  EXPECT_NE(code, std::errc::host_unreachable);
}

TEST(error, every_condition_has_a_text_of_its_own) {
  std::set<std::string> texts;
  for (const auto c :
       {condition::protocol_violation, condition::limit_exceeded, condition::version_refused}) {
    EXPECT_TRUE(texts.insert(make_error_condition(c).message()).second);
  }
  const boost::system::error_condition behind{static_cast<int>(condition::version_refused) + 1,
                                              zmtp_condition_category()};
  EXPECT_EQ(behind.message(), "unknown zmtp condition");
  EXPECT_EQ(texts.count(behind.message()), 0U);
}

}  // namespace
}  // namespace zmtp
