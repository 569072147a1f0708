#include "tools/zinc/interop/results.h"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace zinc::interop {
namespace {

constexpr combination own{origin::ours, origin::ours};
constexpr combination mixed{origin::ours, origin::theirs};
constexpr combination control{origin::theirs, origin::theirs};

result made(const std::string& drill, combination played, verdict found) {
  return {"lp", "lpserver/lpclient", drill, "lpserver", "lpclient", played, std::move(found)};
}

const verdict passed{};
const verdict failed{outcome::failed, "lpclient (theirs) has ended", "I: server replied OK (N)"};
const verdict skipped{outcome::skipped, "theirs have no lpclient"};

TEST(interop_results, a_control_that_fails_too_is_said) {
  std::vector<result> all{made("one", own, failed), made("one", mixed, failed),
                          made("one", control, failed), made("two", mixed, failed),
                          made("two", control, passed)};
  compare_with_control(all);
  EXPECT_EQ(all[0].found.reason, failed.reason);
  EXPECT_EQ(all[1].found.reason, failed.reason + " (theirs fail with themselves too)");
  EXPECT_EQ(all[2].found.reason, failed.reason);
  EXPECT_EQ(all[3].found.reason, failed.reason);
}

TEST(interop_results, the_table_has_a_line_for_each_and_a_sum) {
  auto alone = made("no server", own, passed);
  alone.server.clear();
  EXPECT_EQ(table_of({made("answers", mixed, failed), alone, made("answers", control, skipped)}),
            "pair               drill      server  client  result\n"
            "lpserver/lpclient  answers    ours    theirs  failed: no `I: server replied OK (N)`, "
            "lpclient (theirs) has ended\n"
            "lpserver/lpclient  no server  -       ours    passed\n"
            "lpserver/lpclient  answers    theirs  theirs  skipped: theirs have no lpclient\n"
            "1 passed, 1 failed, 1 skipped\n");
}

TEST(interop_results, json_has_all_of_it) {
  auto alone = made("no server", own, passed);
  alone.server.clear();
  const auto whole =
      boost::json::parse(json_of({made("answers", mixed, failed), alone}, "one after the other"));
  EXPECT_EQ(whole.at("passed"), 1);
  EXPECT_EQ(whole.at("failed"), 1);
  EXPECT_EQ(whole.at("skipped"), 0);
  EXPECT_EQ(whole.at("notice"), "one after the other");
  const auto* const first = R"json({
      "group": "lp", "pair": "lpserver/lpclient", "drill": "answers",
      "server": {"program": "lpserver", "whose": "ours"},
      "client": {"program": "lpclient", "whose": "theirs"}, "result": "failed",
      "reason": "lpclient (theirs) has ended", "missing": "I: server replied OK (N)"})json";
  EXPECT_EQ(whole.at("results").at(0), boost::json::parse(first));
  EXPECT_TRUE(whole.at("results").at(1).at("server").is_null());
  EXPECT_EQ(whole.at("results").at(1).as_object().count("reason"), 0U);
  EXPECT_EQ(boost::json::parse(json_of({}, "")).as_object().count("notice"), 0U);
}

}  // namespace
}  // namespace zinc::interop
