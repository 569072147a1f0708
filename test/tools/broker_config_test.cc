#include "tools/zinc/broker_config.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace zinc {
namespace {

using namespace std::chrono_literals;

broker_arguments arguments_of(std::string_view text) {
  broker_arguments arguments;
  read_config(text, "a.json", arguments);
  return arguments;
}

std::string fault_in(std::string_view text) {
  try {
    (void)arguments_of(text);
  } catch (const config_fault& fault) {
    return fault.what();
  }
  return "none";
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

TEST(broker_config, a_file_sets_every_setting) {
  const auto arguments = arguments_of(R"({
    // of all brokers
    "bind": ["tcp://*:7000", "ipc://@zinc"],
    "threads": 2, "heartbeat": "1s", "liveness": 5, "worker_in_flight": 7, "unknown_services": 0,
    "drain": "0s",
    "client_requests": 10, "client_bytes": "100000B",
    "outcome_requests": 0, "outcome_bytes": "64KiB", "outcome_time": "250ms",
    "default": {"attempts": 4, "unserved_timeout": "5s"},
    "services": {
      "pay": {"idempotent": false, "poison": "drop", "busy_expiry": "250ms",
              "busy_timeout": "9s", "queue_timeout": "1m",
              "raw_client_address": true, "bytes": "1MiB", "requests": 100},
      "logs.*": {"unserved_timeout": "1ms", "requests": null, "busy_expiry": "none"},
      "bare": {},
    },
  })");
  EXPECT_EQ(arguments.bind, (std::vector<std::string>{"tcp://*:7000", "ipc://@zinc"}));
  EXPECT_EQ(arguments.threads, 2U);
  EXPECT_EQ(arguments.drain, 0ms);
  const auto options = resolve(arguments);
  EXPECT_EQ(options.heartbeat, 1s);
  EXPECT_EQ(options.liveness, 5U);
  EXPECT_EQ(options.worker_in_flight, 7U);
  EXPECT_EQ(options.unknown_services, 0U);
  EXPECT_EQ(options.client_limit.requests, 10U);
  EXPECT_EQ(options.client_limit.bytes, 100'000U);
  EXPECT_EQ(options.outcome_limit.requests, 0U);
  EXPECT_EQ(options.outcome_limit.bytes, 65'536U);
  EXPECT_EQ(options.outcome_limit.time, 250ms);
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
  // A setting that the service does not have is that of `default`.
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

TEST(broker_config, an_empty_object_changes_nothing) {
  const auto arguments = arguments_of("{}");
  EXPECT_EQ(arguments.bind, std::vector<std::string>{"tcp://*:5555"});
  EXPECT_TRUE(resolve(arguments).rules.empty());
  EXPECT_EQ(arguments_of(R"({"bind": "tcp://*:1"})").bind, std::vector<std::string>{"tcp://*:1"});
}

TEST(broker_config, flags_win_over_the_file_one_by_one) {
  auto arguments = arguments_of(R"({"services": {"echo": {"attempts": 4, "poison": "drop"}}})");
  arguments.options.services.unserved_timeout = 9s;  // --unserved-timeout
  read_service_flag("echo:attempts=2,idempotent=false", arguments);
  read_service_flag("a*:requests=5", arguments);
  read_service_flag("echo:attempts=3", arguments);
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

TEST(broker_config, titanic_request_is_idempotent_only_if_a_setting_says_so) {
  broker_arguments arguments;
  read_service_flag("titanic.request:busy_expiry=250ms", arguments);
  read_service_flag("titanic.reply:busy_expiry=250ms", arguments);
  EXPECT_FALSE(rule_of(resolve(arguments), "titanic.request")->idempotent);
  EXPECT_TRUE(rule_of(resolve(arguments), "titanic.reply")->idempotent);
  read_service_flag("titanic.request:idempotent=true", arguments);
  EXPECT_TRUE(rule_of(resolve(arguments), "titanic.request")->idempotent);
}

TEST(broker_config, faults_of_a_file_name_the_place_and_the_remedy) {
  struct {
    const char* text;
    std::vector<const char*> said;
  } const faults[] = {
      {"{\n  \"bind\": [\n  \"threads\": 2\n}", {"a.json:3: ", "not valid JSON", "give an object"}},
      {"", {"a.json:1: ", "not valid JSON"}},
      {"{} x", {"a.json:1: ", "not valid JSON"}},
      {"[]", {"a.json: ", "not an object"}},
      {R"({"thread": 2})", {"a.json: thread: ", "unknown setting", "threads, heartbeat"}},
      {R"({"threads": 0})", {"a.json: threads: '0'", "from 1 to 1024"}},
      {R"({"threads": 1.5})", {"a.json: threads: '1.5'", "from 1 to 1024"}},
      {R"({"threads": [1]})", {"a.json: threads: ", "one value for threads"}},
      {R"({"bind": 5555})", {"a.json: bind: ", "not an endpoint", "tcp://*:5555"}},
      {R"({"bind": []})", {"a.json: bind: ", "give at least one"}},
      {R"({"heartbeat": 2500})", {"a.json: heartbeat: '2500' needs a unit: 250ms, 5s, 1m"}},
      {R"({"heartbeat": "2500"})", {"a.json: heartbeat: '2500' needs a unit: 250ms, 5s, 1m"}},
      {R"({"heartbeat": "0s"})", {"a.json: heartbeat: '0s' is out of range; give 1ms to 1d"}},
      {R"({"heartbeat": null})", {"a.json: heartbeat: 'none' is not a duration"}},
      {R"({"drain": 0})", {"a.json: drain: '0' needs a unit: 250ms, 5s, 1m"}},
      {R"({"client_bytes": 16777216})",
       {"a.json: client_bytes: '16777216' needs a unit: 512B, 64KiB, 1MiB"}},
      {R"({"default": {"queue_timeout": 5}})",
       {"a.json: default.queue_timeout: '5' needs a unit: 250ms, 5s, 1m, or none"}},
      {R"({"default": {"atempts": 2}})",
       {"a.json: default.atempts: ", "unknown setting", "idempotent, attempts"}},
      {R"({"default": 3})", {"a.json: default: ", "not an object"}},
      {R"({"services": {"echo": {"attempts": 1001}}})",
       {"a.json: services.echo.attempts: '1001'", "from 1 to 1000"}},
      {R"({"services": {"echo": {"attempts": -1}}})", {"services.echo.attempts: '-1'"}},
      {R"({"services": {"echo": {"attempts": 18446744073709551615}}})",
       {"services.echo.attempts: '18446744073709551615'"}},
      {R"({"services": {"echo": {"idempotent": 1}}})",
       {"services.echo.idempotent", "true or false"}},
      {R"({"services": {"echo": {"poison": "eat"}}})", {"echo.poison: 'eat'", "answer or drop"}},
      {R"({"services": {"echo": {"bytes": "0B"}}})",
       {"echo.bytes: '0B' is out of range; give 1B to 1TiB"}},
      {R"({"services": {"echo": {"requests": {}}}})", {"services.echo.requests: ", "one value"}},
      {R"({"services": {"echo": true}})", {"a.json: services.echo: ", "not an object"}},
      {R"({"services": {"": {}}})", {"a.json: services.: ", "1 to 255 bytes"}},
      {R"({"services": {"mmi.x": {}}})", {"a.json: services.mmi.x: ", "reserved"}},
  };
  for (const auto& [text, said] : faults) {
    const auto fault = fault_in(text);
    for (const auto* const part : said) {
      EXPECT_NE(fault.find(part), std::string::npos) << text << "\n" << fault << "\n" << part;
    }
  }
}

TEST(broker_config, faults_of_flags_name_the_setting_and_the_remedy) {
  const auto expect = [](const std::string& text, std::string_view fault) {
    EXPECT_NE(fault_in_flag(text).find(fault), std::string::npos) << fault_in_flag(text);
  };
  expect("echo:attempts", "give NAME:KEY=VALUE,KEY=VALUE");
  expect("echo", "'echo' has no settings");
  expect("echo", "keys: idempotent, attempts, ");
  expect("", "'' has no settings");
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
