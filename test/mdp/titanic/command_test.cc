// The messages between Titanic and its clients.

#include "mdp/titanic/command.h"

#include <gtest/gtest.h>

#include <string>

namespace mdp::titanic {
namespace {

constexpr auto id_text = "0123456789ABCDEF0123456789ABCDEF";

TEST(titanic_command, ids) {  // TSP-5
  const auto id = request_id::parse("0123456789abcdefABCDEF9876543210");
  ASSERT_TRUE(id);
  EXPECT_EQ(id->to_string(), "0123456789ABCDEFABCDEF9876543210");
  for (const auto* const wrong :
       {"", "0", "0123456789ABCDEF0123456789ABCDE", "0123456789ABCDEF0123456789ABCDEF0",
        "0123456789ABCDEF0123456789ABCDEG", " 123456789ABCDEF0123456789ABCDEF",
        "0x23456789ABCDEF0123456789ABCDEF", "-123456789ABCDEF0123456789ABCDEF"}) {
    EXPECT_FALSE(request_id::parse(wrong)) << wrong;
  }
}

TEST(titanic_command, a_submission_is_an_id_and_a_request) {
  const auto given = parse_submission({id_text, "echo", "", "body"});
  ASSERT_TRUE(given);
  EXPECT_EQ(given->id.to_string(), id_text);
  const zmtp::message whole{id_text, "echo", ""};
  EXPECT_EQ(parse_submission(whole)->service, "echo");
  for (const auto& wrong :
       {zmtp::message{}, zmtp::message{id_text}, zmtp::message{id_text, "echo"},
        zmtp::message{id_text, "", "body"}, zmtp::message{"echo", "body", "more"},
        zmtp::message{std::string{id_text} + "0", "echo", "body"},
        zmtp::message{id_text, std::string(256, 's'), "body"}}) {
    EXPECT_EQ(parse_submission(wrong).error(), errc::bad_request);
  }
}

TEST(titanic_command, ignores_text_after_a_status_code) {  // TSP-10
  for (const auto* const code : {"200", "200 OK", "200OK"}) {
    EXPECT_EQ(*parse_accepted({code, id_text}), id_text);
    EXPECT_EQ(*parse_reply({code, "a", ""}), (zmtp::message{"a", ""}));
    EXPECT_TRUE(parse_closed({code}));
  }
  EXPECT_EQ(parse_reply({"300 Pending"}).error(), errc::pending);
  EXPECT_EQ(parse_reply({"400 Unknown"}).error(), errc::unknown_id);
}

TEST(titanic_command, accepts_any_id_that_titanic_returns) {  // TSP-5
  for (const auto* const id :
       {"0123456789abcdef0123456789ABCDEF", "550e8400-e29b-41d4-a716-446655440000", "no. 7"}) {
    EXPECT_EQ(*parse_accepted({"200", id}), id);
  }
}

TEST(titanic_command, codes_of_the_answers) {  // TSP-3, TSP-6, TSP-8, TSP-11
  EXPECT_EQ(parse_accepted({"400"}).error(), errc::bad_request);
  EXPECT_EQ(parse_accepted({"500"}).error(), errc::not_stored);
  EXPECT_EQ(parse_accepted({"200"}).error(), errc::bad_reply);
  EXPECT_EQ(parse_accepted({"200", ""}).error(), errc::bad_reply);
  EXPECT_EQ(parse_accepted({"200", id_text, ""}).error(), errc::bad_reply);
  EXPECT_EQ(parse_accepted({"300", id_text}).error(), errc::bad_reply);
  EXPECT_EQ(parse_reply({"300"}).error(), errc::pending);
  EXPECT_EQ(parse_reply({"400"}).error(), errc::unknown_id);
  EXPECT_EQ(parse_reply({"500"}).error(), errc::request_failed);
  EXPECT_EQ(parse_reply({"200"}).error(), errc::bad_reply);
  EXPECT_EQ(parse_reply({""}).error(), errc::bad_reply);
  EXPECT_EQ(parse_reply({"20"}).error(), errc::bad_reply);
  EXPECT_EQ(parse_closed({"500"}).error(), errc::not_stored);
  EXPECT_EQ(parse_closed({"404"}).error(), errc::bad_reply);
}

}  // namespace
}  // namespace mdp::titanic
