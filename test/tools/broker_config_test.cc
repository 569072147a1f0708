#include "tools/zinc/broker_config.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace zinc {
namespace {

using namespace std::chrono_literals;

broker_arguments read(std::string_view text) {
  broker_arguments arguments;
  read_config(text, "a.json", arguments);
  return arguments;
}

std::string fault_in(std::string_view text) {
  try {
    (void)read(text);
  } catch (const config_fault& fault) {
    return fault.what();
  }
  return "none";
}

std::string fault_in_flag(const std::string& service, std::string_view settings) {
  broker_arguments arguments;
  try {
    read_service_flag(service, settings, arguments);
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

TEST(broker_config, a_file_sets_everything) {
  const auto arguments = read(R"({
    // of all brokers
    "bind": ["tcp://*:7000", "ipc://@zinc"],
    "threads": 2, "heartbeat": 1000, "liveness": 5, "worker_capacity": 7, "unknown_services": 0, "drain": 0,
    "client_requests": 10, "client_octets": 100000,
    "outcome_requests": 0, "outcome_bytes": 5000, "outcome_time": 250,
    "default": {"attempts": 4, "unserved_expiry": 5000},
    "services": {
      "pay": {"idempotent": false, "poison": "drop", "busy_expiry": 250, "busy_deadline": 9000, "request_expiry": 60000,
              "raw_client_address": true, "octets": 1048576, "requests": 100},
      "logs.*": {"unserved_expiry": 1, "requests": null, "busy_expiry": "none"},
      "bare": {},
    },
  })");
  EXPECT_EQ(arguments.bind, (std::vector<std::string>{"tcp://*:7000", "ipc://@zinc"}));
  EXPECT_EQ(arguments.threads, 2U);
  EXPECT_EQ(arguments.drain, 0ms);
  const auto options = resolve(arguments);
  EXPECT_EQ(options.heartbeat_interval, 1s);
  EXPECT_EQ(options.liveness, 5U);
  EXPECT_EQ(options.worker_capacity, 7U);
  EXPECT_EQ(options.unknown_services, 0U);
  EXPECT_EQ(options.client_limit.requests, 10U);
  EXPECT_EQ(options.client_limit.octets, 100'000U);
  EXPECT_EQ(options.outcome_limit.requests, 0U);
  EXPECT_EQ(options.outcome_limit.bytes, 5'000U);
  EXPECT_EQ(options.outcome_limit.time, 250ms);
  EXPECT_EQ(options.services.attempts, 4U);
  EXPECT_EQ(options.services.unserved_expiry, 5s);
  ASSERT_EQ(options.rules.size(), 3U);
  const auto* const pay = rule_of(options, "pay");
  ASSERT_NE(pay, nullptr);
  EXPECT_FALSE(pay->idempotent);
  EXPECT_EQ(pay->poison, mdp::poison_policy::drop);
  EXPECT_EQ(pay->busy_expiry, 250ms);
  EXPECT_EQ(pay->busy_deadline, 9s);
  EXPECT_EQ(pay->request_expiry, 60s);
  EXPECT_TRUE(pay->raw_client_address);
  EXPECT_EQ(pay->limit.octets, 1'048'576U);
  EXPECT_EQ(pay->limit.requests, 100U);
  // What is not set is as it is for all.
  EXPECT_EQ(pay->attempts, 4U);
  EXPECT_EQ(pay->unserved_expiry, 5s);
  const auto* const logs = rule_of(options, "logs.*");
  ASSERT_NE(logs, nullptr);
  EXPECT_EQ(logs->unserved_expiry, 1ms);
  EXPECT_TRUE(logs->idempotent);
  EXPECT_FALSE(logs->limit.requests);
  ASSERT_NE(rule_of(options, "bare"), nullptr);
  EXPECT_EQ(rule_of(options, "bare")->attempts, 4U);
}

TEST(broker_config, an_empty_object_changes_nothing) {
  const auto arguments = read("{}");
  EXPECT_EQ(arguments.bind, std::vector<std::string>{"tcp://*:5555"});
  EXPECT_TRUE(resolve(arguments).rules.empty());
  EXPECT_EQ(read(R"({"bind": "tcp://*:1"})").bind, std::vector<std::string>{"tcp://*:1"});
}

TEST(broker_config, flags_win_over_the_file_one_by_one) {
  auto arguments = read(R"({"services": {"echo": {"attempts": 4, "poison": "drop"}}})");
  arguments.options.services.unserved_expiry = 9s;  // as --expiry sets it
  read_service_flag("echo", "attempts=2,idempotent=false", arguments);
  read_service_flag("a*", "requests=5", arguments);
  read_service_flag("echo", "attempts=3", arguments);
  const auto options = resolve(arguments);
  ASSERT_EQ(options.rules.size(), 2U);
  const auto* const echo = rule_of(options, "echo");
  ASSERT_NE(echo, nullptr);
  EXPECT_EQ(echo->attempts, 3U);
  EXPECT_FALSE(echo->idempotent);
  EXPECT_EQ(echo->poison, mdp::poison_policy::drop);
  EXPECT_EQ(echo->unserved_expiry, 9s);
  ASSERT_NE(rule_of(options, "a*"), nullptr);
  EXPECT_EQ(rule_of(options, "a*")->limit.requests, 5U);
}

TEST(broker_config, titanic_request_is_idempotent_only_if_a_setting_says_so) {
  broker_arguments arguments;
  read_service_flag("titanic.request", "busy_expiry=250", arguments);
  read_service_flag("titanic.reply", "busy_expiry=250", arguments);
  EXPECT_FALSE(rule_of(resolve(arguments), "titanic.request")->idempotent);
  EXPECT_TRUE(rule_of(resolve(arguments), "titanic.reply")->idempotent);
  read_service_flag("titanic.request", "idempotent=true", arguments);
  EXPECT_TRUE(rule_of(resolve(arguments), "titanic.request")->idempotent);
}

TEST(broker_config, faults_of_a_file_say_where_what_and_what_would_be_right) {
  struct {
    const char* text;
    std::vector<const char*> said;
  } const faults[] = {
      {"{\n  \"bind\": [\n  \"threads\": 2\n}", {"a.json:3: ", "no JSON", "give an object"}},
      {"", {"a.json:1: ", "no JSON"}},
      {"{} x", {"a.json:1: ", "no JSON"}},
      {"[]", {"a.json: ", "no object"}},
      {R"({"thread": 2})", {"a.json: thread: ", "no such setting", "threads, heartbeat"}},
      {R"({"threads": 0})", {"a.json: threads: '0'", "from 1 to 1024"}},
      {R"({"threads": 1.5})", {"a.json: threads: '1.5'", "from 1 to 1024"}},
      {R"({"threads": [1]})", {"a.json: threads: ", "one value for threads"}},
      {R"({"bind": 5555})", {"a.json: bind: ", "no endpoint", "tcp://*:5555"}},
      {R"({"bind": []})", {"a.json: bind: ", "give one at least"}},
      {R"({"heartbeat": "2s"})", {"a.json: heartbeat: '2s'", "milliseconds"}},
      {R"({"default": {"atempts": 2}})",
       {"a.json: default.atempts: ", "no such setting", "idempotent, attempts"}},
      {R"({"default": 3})", {"a.json: default: ", "no object"}},
      {R"({"services": {"echo": {"attempts": 1001}}})",
       {"a.json: services.echo.attempts: '1001'", "from 1 to 1000"}},
      {R"({"services": {"echo": {"attempts": -1}}})", {"services.echo.attempts: '-1'"}},
      {R"({"services": {"echo": {"attempts": 18446744073709551615}}})",
       {"services.echo.attempts: '18446744073709551615'"}},
      {R"({"services": {"echo": {"idempotent": 1}}})",
       {"services.echo.idempotent", "true or false"}},
      {R"({"services": {"echo": {"poison": "eat"}}})", {"echo.poison: 'eat'", "answer or drop"}},
      {R"({"services": {"echo": {"octets": 0}}})", {"echo.octets: '0'", "octets, from 1"}},
      {R"({"services": {"echo": {"requests": {}}}})", {"services.echo.requests: ", "one value"}},
      {R"({"services": {"echo": true}})", {"a.json: services.echo: ", "no object"}},
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

TEST(broker_config, faults_of_flags_do_as_well) {
  EXPECT_NE(fault_in_flag("echo", "attempts").find("--service echo: 'attempts' sets nothing"),
            std::string::npos);
  EXPECT_NE(fault_in_flag("echo", "").find("give key=value"), std::string::npos);
  EXPECT_NE(fault_in_flag("echo", "attempts=2,").find("sets nothing"), std::string::npos);
  EXPECT_NE(fault_in_flag("echo", "attempts=x").find("--service echo attempts: 'x'"),
            std::string::npos);
  EXPECT_NE(fault_in_flag("echo", "bind=tcp://*:1").find("no such setting"), std::string::npos);
  EXPECT_NE(fault_in_flag("mmi.*", "attempts=2").find("reserved"), std::string::npos);
  EXPECT_NE(fault_in_flag(std::string(256, 'a'), "attempts=2").find("255 bytes"),
            std::string::npos);
  EXPECT_EQ(fault_in_flag(std::string(255, 'a') + '*', "attempts=2"), "none");
  EXPECT_EQ(fault_in_flag("*", "attempts=2"), "none");
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
