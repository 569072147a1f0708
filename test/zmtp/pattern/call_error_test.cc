#include "zmtp/pattern/call_error.h"

#include <boost/asio/error.hpp>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace zmtp {
namespace {

TEST(call_errors, texts_are_distinct_and_of_the_known_only) {
  std::set<std::string> texts;
  for (std::size_t i = 1; i < call_errc_count; ++i) {
    texts.insert(call_category().message(static_cast<int>(i)));
  }
  EXPECT_EQ(texts.size(), call_errc_count - 1);
  EXPECT_EQ(call_category().message(call_errc_count), call_category().message(0));
  EXPECT_FALSE(texts.contains(call_category().message(0)));
}

TEST(call_errors, name_the_outcome_of_the_call) {
  EXPECT_EQ(outcome_of({}), call_outcome::answered);
  EXPECT_EQ(outcome_of(call_errc::no_answer), call_outcome::unknown);
  EXPECT_EQ(outcome_of(boost::asio::error::operation_aborted), call_outcome::unknown);
  EXPECT_EQ(outcome_of(call_errc::not_sent), call_outcome::refused);
  EXPECT_EQ(outcome_of(call_errc::call_in_flight), call_outcome::refused);
}

}  // namespace
}  // namespace zmtp
