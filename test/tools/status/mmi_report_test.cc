#include "tools/zinc/status/mmi_report.h"

#include "mdp/broker_report.h"
#include "tools/zinc/http/status_json.h"
#include "tools/zinc/status/fault.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string_view>

namespace zinc::status {
namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;

boost::json::value value_of(const mmi_report& of) { return http::status_value(of.all(), ""); }

TEST(mmi_report, has_the_records_of_a_broker) {
  mmi_report of{"tcp://a:1"};
  mdp::broker_status broker;
  broker.peers = 4;
  broker.counters.requests = 18'446'744'073'709'551'615U;
  of.add_broker(zmtp::message{"200"sv, mdp::report(broker)});
  mdp::service_status service;
  service.workers = 2;
  EXPECT_EQ(of.add_services(zmtp::message{"200"sv, "echo"sv, mdp::report(service), "\x1b"sv,
                                          mdp::report(service)}),
            "\x1b");
  EXPECT_EQ(of.add_services(zmtp::message{"200"sv}), std::nullopt);
  mdp::worker_status worker;
  worker.leaving = true;
  EXPECT_EQ(
      of.add_workers(zmtp::message{"200"sv, "1.7"sv, "echo"sv, "alice"sv, mdp::report(worker)}),
      "1.7");
  EXPECT_EQ(
      of.add_clients(zmtp::message{"200"sv, "2.7"sv, ""sv, mdp::report(mdp::client_status{})}),
      "2.7");
  const auto all = value_of(of);
  EXPECT_EQ(all.at("component"), "broker");
  const auto& groups = all.at("groups");
  EXPECT_EQ(groups.at("broker").at(0).at("endpoint"), "tcp://a:1");
  EXPECT_EQ(groups.at("broker").at(0).at("peers"), 4U);
  EXPECT_EQ(groups.at("broker").at(0).at("requests"), 18'446'744'073'709'551'615U);
  EXPECT_EQ(groups.at("service").at(0).at("workers"), 2U);
  EXPECT_EQ(groups.at("service").at(1).at("service"), "\\x1b");
  EXPECT_EQ(groups.at("worker"), boost::json::parse(R"([{"endpoint": "tcp://a:1", "worker": "1.7",
      "service": "echo", "user": "alice", "working": 0, "capacity": 1, "draining": true, "last_received": 0}])"));
  EXPECT_EQ(groups.at("client"),
            boost::json::parse(R"([{"endpoint": "tcp://a:1", "client": "2.7", "user": "",
      "requests": 0, "bytes": 0, "paused": false}])"));
  EXPECT_EQ(all.at("figures").at("broker").at("requests").at("type"), "counter");
}

TEST(mmi_report, a_broker_that_drains_is_not_ready) {
  mmi_report of{"tcp://a:1"};
  mdp::broker_status broker;
  of.add_broker(zmtp::message{"200"sv, mdp::report(broker)});
  EXPECT_EQ(value_of(of).at("ready"), true);
  broker.draining = true;
  of.add_broker(zmtp::message{"200"sv, mdp::report(broker)});
  EXPECT_EQ(value_of(of).at("ready"), false);
  EXPECT_EQ(value_of(of).at("not_ready"), "the broker drains");
}

TEST(mmi_report, has_the_records_of_titanic) {
  mmi_report of{"tcp://a:1"};
  EXPECT_EQ(of.add_titanic(zmtp::message{"404"sv}), std::nullopt);
  EXPECT_TRUE(of.all().records.empty());
  const auto state = "accepting=1 requests=4 pending=3 in_flight=0 services=1 oldest=9"sv;
  EXPECT_EQ(of.add_titanic(zmtp::message{"200"sv, state, "echo"sv, "pending=3 in_flight=0"sv}),
            "echo");
  EXPECT_EQ(of.add_titanic(zmtp::message{"200"sv, state}), std::nullopt);
  const auto groups = value_of(of).at("groups");
  EXPECT_EQ(groups.at("titanic"),
            boost::json::parse(R"([{"accepting": 1, "requests": 4, "pending": 3,
      "in_flight": 0, "services": 1, "oldest": 9}])"));
  EXPECT_EQ(groups.at("titanic_service"),
            boost::json::parse(R"([{"service": "echo", "pending": 3, "in_flight": 0}])"));
}

TEST(mmi_report, the_place_of_the_next_page_adds_no_peer) {
  mmi_report of{"x"};
  EXPECT_EQ(of.add_workers(zmtp::message{"200"sv, "9.0"sv, ""sv, ""sv, ""sv}), "9.0");
  EXPECT_EQ(of.add_clients(zmtp::message{"200"sv, "9.0"sv, ""sv, ""sv}), "9.0");
  EXPECT_TRUE(of.all().records.empty());
}

TEST(mmi_report, lists_go_on_in_their_order) {
  EXPECT_TRUE(is_service_after("10.1", ""));
  EXPECT_TRUE(is_service_after("9.1", "10.1"));
  EXPECT_FALSE(is_service_after("10.1", "9.1"));
  EXPECT_FALSE(is_service_after("a", "a"));
  EXPECT_TRUE(is_peer_after("0.7", ""));
  EXPECT_TRUE(is_peer_after("10.1", "9.1"));
  EXPECT_FALSE(is_peer_after("9.1", "10.1"));
  EXPECT_FALSE(is_peer_after("9.2", "9.1"));
  EXPECT_FALSE(is_peer_after("x", ""));
}

TEST(paging, asks_for_each_page_until_the_last) {
  paging pages{"mmi.services", is_service_after, {}};
  EXPECT_EQ(pages.next(), "");
  pages.take(1, "a", {});
  EXPECT_EQ(pages.next(), "a");
  pages.take(1, "b", {});
  EXPECT_EQ(pages.next(), "b");
  pages.take(1, std::nullopt, paging::clock::time_point::max());
  EXPECT_EQ(pages.next(), std::nullopt);
}

TEST(paging, ends_at_a_repeated_page_a_limit_of_bytes_and_the_deadline) {
  paging pages{"mmi.services", is_service_after, {}};
  pages.take(0, "b", {});
  EXPECT_THROW(pages.take(0, "b", {}), fault);
  EXPECT_THROW(pages.take(0, "c", paging::clock::time_point{1ns}), fault);
  pages.take(64 * 1024 * 1024, "c", {});
  EXPECT_THROW(pages.take(1, "d", {}), fault);
}

TEST(mmi_report, ignores_figures_of_a_newer_broker) {
  mmi_report of{"x"};
  of.add_broker(zmtp::message{"200"sv, "news=word peers=1 more"sv});
  EXPECT_EQ(value_of(of).at("groups").at("broker").at(0),
            boost::json::parse(R"({"endpoint": "x", "peers": 1})"));
}

TEST(mmi_report, refuses_what_no_zinc_broker_sends) {
  for (const auto& wrong :
       {zmtp::message{"501"sv}, zmtp::message{"404"sv}, zmtp::message{"200"sv, "peers=x"sv},
        zmtp::message{"200"sv, "peers=-1"sv}, zmtp::message{"200"sv, "peers=1"sv, "peers=1"sv},
        zmtp::message{"200"sv}}) {
    EXPECT_THROW(mmi_report{"x"}.add_broker(wrong), fault);
  }
  for (const auto& wrong :
       {zmtp::message{"501"sv}, zmtp::message{"200"sv, "echo"sv}, zmtp::message{""sv}}) {
    mmi_report of{"x"};
    EXPECT_THROW((void)of.add_services(wrong), fault);
    EXPECT_THROW((void)of.add_workers(wrong), fault);
    EXPECT_THROW((void)of.add_clients(wrong), fault);
  }
  for (const auto& wrong :
       {zmtp::message{"200"sv}, zmtp::message{"200"sv, ""sv, "echo"sv}, zmtp::message{"500"sv}}) {
    mmi_report of{"x"};
    EXPECT_THROW((void)of.add_titanic(wrong), fault);
  }
}

}  // namespace
}  // namespace zinc::status
