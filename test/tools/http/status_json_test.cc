#include "tools/zinc/http/status_json.h"

#include "test/tools/http/example_figures.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <gtest/gtest.h>

namespace zinc::http {
namespace {

using namespace std::chrono_literals;
using test::active;
using test::queue_time;
using test::requests;
using test::stored;

boost::json::value parsed(const report& of) { return boost::json::parse(status_json(of, "1.2")); }

TEST(status_json, has_the_component_and_its_readiness) {
  const auto all = parsed({.component = "chp", .not_ready = "passive", .records = {}});
  EXPECT_EQ(all.at("component"), "chp");
  EXPECT_EQ(all.at("version"), "1.2");
  EXPECT_EQ(all.at("ready"), false);
  EXPECT_EQ(all.at("not_ready"), "passive");
  EXPECT_EQ(all.at("groups"), boost::json::object{});
}

TEST(status_json, records_of_a_group_are_a_list_with_one_description) {
  const auto all =
      parsed({.component = "broker",
              .not_ready = {},
              .records = {{.group = "service",
                           .labels = {{"service", "a\"\\\n\x1f\u00e9"}, {"at", "x"}},
                           .samples = {{&requests, std::uint64_t{1}}}},
                          {.group = "service",
                           .labels = {{"service", "b"}},
                           .samples = {{&requests, std::uint64_t{18'446'744'073'709'551'615U}}}}}});
  EXPECT_EQ(all.at("groups"), boost::json::parse(R"({"service": [
      {"service": "a\"\\\n\u001f\u00e9", "at": "x", "requests": 1},
      {"service": "b", "requests": 18446744073709551615}]})"));
  EXPECT_EQ(all.at("figures"), boost::json::parse(R"({"service": {"requests": {
      "metric": "zinc_service_requests_total", "type": "counter", "unit": "",
      "help": "accepted requests"}}})"));
}

TEST(status_json, values_have_the_types_of_their_kinds) {
  zmtp::duration_histogram times;
  times.add(0ns);
  times.add(2h);
  const auto all = parsed({.component = "chp",
                           .not_ready = {},
                           .records = {{.group = "chp",
                                        .labels = {},
                                        .samples = {{&active, true},
                                                    {&stored, std::string_view{"full"}},
                                                    {&queue_time, zmtp::durations_of(times)}}}}});
  const auto& about = all.at("figures").at("chp").at("queue_time");
  EXPECT_EQ(about.at("bounds").as_array().size(), zmtp::duration_histogram::bounds.size());
  EXPECT_EQ(about.at("bounds").at(0), 1e-5);
  const auto& record = all.at("groups").at("chp").at(0);
  EXPECT_EQ(record.at("active"), true);
  EXPECT_EQ(record.at("stored"), "full");
  EXPECT_EQ(record.at("queue_time").at("count"), 2U);
  EXPECT_EQ(record.at("queue_time").at("sum").to_number<double>(), 7'200.0);
  const auto& buckets = record.at("queue_time").at("buckets").as_array();
  EXPECT_EQ(buckets.size(), zmtp::duration_histogram::bounds.size() + 1);
  EXPECT_EQ(buckets.front(), 1U);
  EXPECT_EQ(buckets.back(), 1U);
}

}  // namespace
}  // namespace zinc::http
