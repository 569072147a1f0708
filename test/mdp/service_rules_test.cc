#include "mdp/service_rules.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace mdp {
namespace {

using namespace std::chrono_literals;

service_options attempts(unsigned number) {
  service_options options;
  options.attempts = number;
  return options;
}

TEST(service_rules, a_name_of_its_own_then_the_longest_beginning_then_all_others) {
  broker_options options;
  options.services = attempts(9);
  options.rules = {{"logs.*", attempts(1)},
                   {"logs.audit.*", attempts(2)},
                   {"logs.audit.login", attempts(4)},
                   {"echo", attempts(5)}};
  const service_rules rules{options};
  EXPECT_EQ(rules.of("logs.web").attempts, 1U);
  EXPECT_EQ(rules.of("logs.").attempts, 1U);
  EXPECT_EQ(rules.of("logs.audit.logout").attempts, 2U);
  EXPECT_EQ(rules.of("logs.audit.login").attempts, 4U);
  EXPECT_EQ(rules.of("echo").attempts, 5U);
  EXPECT_EQ(rules.of("echo.").attempts, 9U);
  EXPECT_EQ(rules.of("log").attempts, 9U);
  EXPECT_EQ(rules.of("").attempts, 9U);
  std::set<std::string> named;
  rules.for_each_name([&](std::string_view name, const service_options& of_it) {
    named.emplace(name);
    EXPECT_EQ(&of_it, &rules.of(name));
  });
  EXPECT_EQ(named, (std::set<std::string>{"echo", "logs.audit.login"}));
}

TEST(service_rules, the_last_of_one_name_counts) {
  broker_options options;
  options.rules = {
      {"a*", attempts(1)}, {"b", attempts(2)}, {"a*", attempts(3)}, {"b", attempts(4)}};
  const service_rules rules{options};
  EXPECT_EQ(rules.of("ab").attempts, 3U);
  EXPECT_EQ(rules.of("b").attempts, 4U);
}

TEST(service_rules, titanic_request_is_not_idempotent_without_a_rule_of_its_name) {
  broker_options options;
  options.services = attempts(9);
  for (const auto* const prefix : {"", "titanic.*", "*"}) {
    options.rules.clear();
    if (*prefix != '\0') {
      options.rules = {{prefix, {.idempotent = true, .attempts = 7, .busy_expiry = 5ms}}};
    }
    const service_rules rules{options};
    EXPECT_FALSE(rules.of("titanic.request").idempotent) << prefix;
    EXPECT_EQ(rules.of("titanic.request").attempts, 1U) << prefix;
    EXPECT_EQ(rules.of("titanic.request").busy_expiry, rules.of("titanic.reply").busy_expiry);
    for (const auto* const repeatable :
         {"titanic.submit", "titanic.reply", "titanic.close", "titanic.requests", "titanic"}) {
      EXPECT_TRUE(rules.of(repeatable).idempotent) << repeatable;
      EXPECT_GT(rules.of(repeatable).attempts, 1U) << repeatable;
    }
    EXPECT_FALSE(rules.name("titanic.request")) << "no rule names it";
  }
  options.rules = {{"titanic.*", attempts(5)}, {"titanic.request", attempts(3)}};
  const service_rules rules{options};
  EXPECT_TRUE(rules.of("titanic.request").idempotent);
  EXPECT_EQ(rules.of("titanic.request").attempts, 3U);
}

TEST(service_rules, a_star_alone_is_for_all) {
  broker_options options;
  options.rules = {{"*", attempts(7)}};
  const service_rules rules{options};
  EXPECT_EQ(rules.of("").attempts, 7U);
  EXPECT_EQ(rules.of("anything").attempts, 7U);
}

TEST(service_rules, options_that_would_stop_a_service_are_the_smallest_that_work) {
  broker_options options;
  options.services.attempts = 0;
  options.services.busy_expiry = 0ms;
  options.services.busy_timeout = 0ms;
  options.services.limit = {.bytes = 0, .requests = 0};
  options.rules = {{"once", {.idempotent = false, .attempts = 8}}};
  const service_rules rules{options};
  const auto& others = rules.of("x");
  EXPECT_EQ(others.attempts, 1U);
  EXPECT_EQ(others.busy_expiry, 1ms);
  EXPECT_EQ(others.busy_timeout, 1ms);
  EXPECT_EQ(others.limit.bytes, 1U);
  EXPECT_EQ(others.limit.requests, 1U);
  EXPECT_EQ(rules.of("once").attempts, 1U);
}

}  // namespace
}  // namespace mdp
