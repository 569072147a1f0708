#include "tools/zinc/broker_config.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace zinc {
namespace {

using namespace std::chrono_literals;

broker_arguments arguments_of(const std::vector<std::string>& services) {
  broker_arguments arguments;
  for (const auto& one : services) {
    read_service_flag(one, arguments);
  }
  return arguments;
}

std::string fault_in_flag(std::string_view text) {
  broker_arguments arguments;
  try {
    read_service_flag(text, arguments);
  } catch (const config_fault& fault) {
    return fault.what();
  }
  return "none";
}

const mdp::service_options* rule_of(const mdp::broker_options& options, std::string_view name) {
  for (const auto& rule : options.rules) {
    if (rule.name == name) {
      return &rule.options;
    }
  }
  return nullptr;
}

TEST(broker_config, a_service_has_every_setting) {
  const auto options = resolve(arguments_of(
      {"pay:idempotent=false,poison=drop,busy_expiry=250ms,busy_timeout=9s,queue_timeout=1m",
       "pay:raw_client_address=true,bytes=1MiB,requests=100", "*:attempts=4,unserved_timeout=5s",
       "logs.*:unserved_timeout=1ms,requests=none,busy_expiry=none", "bare"}));
  EXPECT_EQ(options.services.attempts, 4U);
  EXPECT_EQ(options.services.unserved_timeout, 5s);
  ASSERT_EQ(options.rules.size(), 3U);
  const auto* const pay = rule_of(options, "pay");
  ASSERT_NE(pay, nullptr);
  EXPECT_FALSE(pay->idempotent);
  EXPECT_EQ(pay->poison, mdp::poison_policy::drop);
  EXPECT_EQ(pay->busy_expiry, 250ms);
  EXPECT_EQ(pay->busy_timeout, 9s);
  EXPECT_EQ(pay->queue_timeout, 60s);
  EXPECT_TRUE(pay->raw_client_address);
  EXPECT_EQ(pay->limit.bytes, 1'048'576U);
  EXPECT_EQ(pay->limit.requests, 100U);
  // A setting that the service does not have is that of `*`, in whatever order they are given.
  EXPECT_EQ(pay->attempts, 4U);
  EXPECT_EQ(pay->unserved_timeout, 5s);
  const auto* const logs = rule_of(options, "logs.*");
  ASSERT_NE(logs, nullptr);
  EXPECT_EQ(logs->unserved_timeout, 1ms);
  EXPECT_TRUE(logs->idempotent);
  EXPECT_FALSE(logs->limit.requests);
  ASSERT_NE(rule_of(options, "bare"), nullptr);
  EXPECT_EQ(rule_of(options, "bare")->attempts, 4U);
}

TEST(broker_config, the_last_value_of_a_setting_counts) {
  auto arguments = arguments_of({"echo:attempts=4,poison=drop", "echo:attempts=2,idempotent=false",
                                 "a*:requests=5", "echo:attempts=3"});
  arguments.unserved_timeout = 9s;
  const auto options = resolve(arguments);
  ASSERT_EQ(options.rules.size(), 2U);
  const auto* const echo = rule_of(options, "echo");
  ASSERT_NE(echo, nullptr);
  EXPECT_EQ(echo->attempts, 3U);
  EXPECT_FALSE(echo->idempotent);
  EXPECT_EQ(echo->poison, mdp::poison_policy::drop);
  EXPECT_EQ(echo->unserved_timeout, 9s);
  ASSERT_NE(rule_of(options, "a*"), nullptr);
  EXPECT_EQ(rule_of(options, "a*")->limit.requests, 5U);
}

TEST(broker_config, the_option_for_all_services_overrides_their_defaults) {
  auto arguments = arguments_of(
      {"*:unserved_timeout=1m,attempts=4", "echo:attempts=2", "own:unserved_timeout=2s"});
  arguments.unserved_timeout = 5s;
  const auto options = resolve(arguments);
  EXPECT_EQ(options.services.unserved_timeout, 5s);
  EXPECT_EQ(options.services.attempts, 4U);
  EXPECT_EQ(rule_of(options, "echo")->unserved_timeout, 5s);
  EXPECT_EQ(rule_of(options, "own")->unserved_timeout, 2s);
}

TEST(broker_config, titanic_request_is_idempotent_only_if_a_setting_says_so) {
  broker_arguments arguments;
  read_service_flag("titanic.request:busy_expiry=250ms", arguments);
  read_service_flag("titanic.reply:busy_expiry=250ms", arguments);
  EXPECT_FALSE(rule_of(resolve(arguments), "titanic.request")->idempotent);
  EXPECT_TRUE(rule_of(resolve(arguments), "titanic.reply")->idempotent);
  read_service_flag("titanic.request:idempotent=true", arguments);
  EXPECT_TRUE(rule_of(resolve(arguments), "titanic.request")->idempotent);
}

TEST(broker_config, faults_of_flags_name_the_setting_and_the_remedy) {
  const auto expect = [](const std::string& text, std::string_view fault) {
    EXPECT_NE(fault_in_flag(text).find(fault), std::string::npos) << fault_in_flag(text);
  };
  expect("echo:attempts", "give NAME:KEY=VALUE,KEY=VALUE");
  expect("echo attempts=2", "keys: idempotent, attempts, ");
  expect("", "1 to 255 bytes");
  expect("mmi.x", "reserved");
  expect("*", "'*' has no settings; give *:KEY=VALUE");
  expect("echo attempts=2", "has no settings");
  expect("echo:attempts=2,", "instead of KEY=VALUE");
  expect("echo:attempts=x", "echo:attempts: 'x' is not valid; give a number from 1 to 1000");
  expect("echo:busy_timeout=9", "echo:busy_timeout: '9' needs a unit: 250ms, 5s, 1m, or none");
  expect("echo:unserved_timeout=-1s", "echo:unserved_timeout: '-1s' is negative");
  expect("echo:bytes=1000", "echo:bytes: '1000' needs a unit: 512B, 64KiB, 1MiB");
  expect("echo:bind=1", "echo:bind: unknown setting; give one of idempotent, ");
  expect("mmi.*:attempts=2", "reserved");
  expect(std::string(256, 'a') + ":attempts=2", "255 bytes");
  EXPECT_EQ(fault_in_flag(std::string(255, 'a') + "*:attempts=2"), "none");
  EXPECT_EQ(fault_in_flag("*:attempts=2"), "none");
  EXPECT_EQ(fault_in_flag("a:b:busy_timeout=none,bytes=1.5MiB"), "none");
}

using endpoints = std::vector<std::vector<std::string>>;

endpoints for_brokers(unsigned threads, std::vector<std::string> bind) {
  broker_arguments arguments;
  arguments.threads = threads;
  arguments.bind = std::move(bind);
  return endpoints_of_brokers(arguments);
}

TEST(broker_config, ports_are_counted_up_from_broker_to_broker) {
  EXPECT_EQ(for_brokers(1, {"tcp://*:5555", "ipc://@a"}),
            (endpoints{{"tcp://*:5555", "ipc://@a"}}));
  EXPECT_EQ(for_brokers(3, {"tcp://*:5555"}),
            (endpoints{{"tcp://*:5555"}, {"tcp://*:5556"}, {"tcp://*:5557"}}));
  EXPECT_EQ(for_brokers(3, {"tcp://127.0.0.1:65533", "tcp://[::1]:7000"}),
            (endpoints{{"tcp://127.0.0.1:65533", "tcp://[::1]:7000"},
                       {"tcp://127.0.0.1:65534", "tcp://[::1]:7001"},
                       {"tcp://127.0.0.1:65535", "tcp://[::1]:7002"}}));
  EXPECT_EQ(for_brokers(2, {"tcp://127.0.0.1:*"}),
            (endpoints{{"tcp://127.0.0.1:0"}, {"tcp://127.0.0.1:0"}}));
}

TEST(broker_config, as_many_endpoints_as_brokers_are_one_each) {
  EXPECT_EQ(for_brokers(2, {"tcp://*:5555", "ipc://@b"}),
            (endpoints{{"tcp://*:5555"}, {"ipc://@b"}}));
}

TEST(broker_config, ports_that_cannot_be_counted_up_are_faults) {
  for (const auto* const at : {"ipc://@a", "tcp://*:65535", "no endpoint"}) {
    try {
      (void)for_brokers(2, {at});
      ADD_FAILURE() << at;
    } catch (const config_fault& fault) {
      EXPECT_NE(std::string_view{fault.what()}.find(at), std::string_view::npos);
    }
  }
}

}  // namespace
}  // namespace zinc
