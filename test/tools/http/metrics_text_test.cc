#include "tools/zinc/http/metrics_text.h"

#include "test/tools/http/example_figures.h"

#include <gtest/gtest.h>

namespace zinc::http {
namespace {

using namespace std::chrono_literals;
using enum zmtp::figure::kind;
using test::active;
using test::queue_time;
using test::requests;
using test::stored;
using unit = zmtp::figure::unit;

constexpr zmtp::figure memory{"keyed_bytes", gauge, "memory of keys", unit::bytes};
constexpr zmtp::figure log{"log", gauge, "memory of the log", unit::bytes};
constexpr zmtp::figure received{"received_bytes", counter, "received bytes", unit::bytes};

std::string head_of(std::string_view component, int ready) {
  return "# HELP zinc_build_info component and version of the program.\n"
         "# TYPE zinc_build_info gauge\n"
         "zinc_build_info{component=\"" +
         std::string{component} +
         "\",version=\"1.2\"} 1\n"
         "# HELP zinc_ready 1 if the component serves, as in /readyz.\n"
         "# TYPE zinc_ready gauge\n"
         "zinc_ready " +
         std::to_string(ready) + "\n";
}

TEST(metrics_text, names_have_the_unit_and_the_type) {
  EXPECT_EQ(metric_name("broker", requests), "zinc_broker_requests_total");
  EXPECT_EQ(metric_name("broker", memory), "zinc_broker_keyed_bytes");
  EXPECT_EQ(metric_name("chp", log), "zinc_chp_log_bytes");
  EXPECT_EQ(metric_name("proxy", received), "zinc_proxy_received_bytes_total");
  EXPECT_EQ(metric_name("broker", queue_time), "zinc_broker_queue_time_seconds");
}

TEST(metrics_text, a_report_without_records_has_the_build_and_the_readiness) {
  EXPECT_EQ(metrics_text({.component = "broker", .not_ready = {}, .records = {}}, "1.2"),
            head_of("broker", 1));
  EXPECT_EQ(metrics_text({.component = "chp", .not_ready = "passive", .records = {}}, "1.2"),
            head_of("chp", 0));
}

TEST(metrics_text, samples_of_a_metric_are_together) {
  const report of{.component = "broker",
                  .not_ready = {},
                  .records = {
                      {.group = "broker", .labels = {}, .samples = {{&requests, std::uint64_t{3}}}},
                      {.group = "service",
                       .labels = {{"service", "a"}},
                       .samples = {{&requests, std::uint64_t{1}}, {&memory, std::uint64_t{10}}}},
                      {.group = "service",
                       .labels = {{"service", "b"}},
                       .samples = {{&requests, std::uint64_t{2}}, {&memory, std::uint64_t{20}}}},
                  }};
  EXPECT_EQ(metrics_text(of, "1.2"), head_of("broker", 1) +
                                         "# HELP zinc_broker_requests_total accepted requests.\n"
                                         "# TYPE zinc_broker_requests_total counter\n"
                                         "zinc_broker_requests_total 3\n"
                                         "# HELP zinc_service_requests_total accepted requests.\n"
                                         "# TYPE zinc_service_requests_total counter\n"
                                         "zinc_service_requests_total{service=\"a\"} 1\n"
                                         "zinc_service_requests_total{service=\"b\"} 2\n"
                                         "# HELP zinc_service_keyed_bytes memory of keys.\n"
                                         "# TYPE zinc_service_keyed_bytes gauge\n"
                                         "zinc_service_keyed_bytes{service=\"a\"} 10\n"
                                         "zinc_service_keyed_bytes{service=\"b\"} 20\n");
}

TEST(metrics_text, flags_and_words_are_gauges) {
  const report of{.component = "chp",
                  .not_ready = {},
                  .records = {{.group = "chp",
                               .labels = {{"at", "x"}},
                               .samples = {{&active, true}, {&stored, std::string_view{"full"}}}}}};
  EXPECT_EQ(metrics_text(of, "1.2"), head_of("chp", 1) +
                                         "# HELP zinc_chp_active accepts updates.\n"
                                         "# TYPE zinc_chp_active gauge\n"
                                         "zinc_chp_active{at=\"x\"} 1\n"
                                         "# HELP zinc_chp_stored the part in the store.\n"
                                         "# TYPE zinc_chp_stored gauge\n"
                                         "zinc_chp_stored{at=\"x\",state=\"full\"} 1\n");
}

TEST(metrics_text, label_values_are_escaped) {
  const report of{.component = "broker",
                  .not_ready = {},
                  .records = {{.group = "service",
                               .labels = {{"service", "a\"b\\c\nd"}},
                               .samples = {{&requests, std::uint64_t{1}}}}}};
  EXPECT_TRUE(metrics_text(of, "1.2").ends_with("{service=\"a\\\"b\\\\c\\nd\"} 1\n"));
}

TEST(metrics_text, buckets_of_a_histogram_include_those_before_them) {
  zmtp::duration_histogram times;
  times.add(0ns);
  times.add(20us);
  times.add(20us);
  times.add(2h);
  const report of{.component = "broker",
                  .not_ready = {},
                  .records = {{.group = "broker",
                               .labels = {},
                               .samples = {{&queue_time, zmtp::durations_of(times)}}}}};
  const auto text = metrics_text(of, "1.2");
  const auto begin = text.find("# TYPE zinc_broker_queue_time_seconds histogram\n");
  ASSERT_NE(begin, std::string::npos);
  for (const auto* const line : {
           "zinc_broker_queue_time_seconds_bucket{le=\"1e-05\"} 1\n",
           "zinc_broker_queue_time_seconds_bucket{le=\"2.5e-05\"} 3\n",
           "zinc_broker_queue_time_seconds_bucket{le=\"0.001\"} 3\n",
           "zinc_broker_queue_time_seconds_bucket{le=\"30\"} 3\n",
           "zinc_broker_queue_time_seconds_bucket{le=\"+Inf\"} 4\n",
           "zinc_broker_queue_time_seconds_sum 7200.00004\n",
           "zinc_broker_queue_time_seconds_count 4\n",
       }) {
    EXPECT_NE(text.find(line, begin), std::string::npos) << line;
  }
}

TEST(metrics_text, buckets_and_words_have_the_labels_of_their_record) {
  zmtp::coarse_duration_histogram times;
  times.add(1s);
  std::vector<zmtp::figure_record> records;
  for (const auto* const name : {"a", "b"}) {
    records.push_back(
        {.group = "service",
         .labels = {{"endpoint", "x"}, {"service", name}},
         .samples = {{&queue_time, zmtp::durations_of(times)}, {&stored, std::string_view{"no"}}}});
  }
  const auto text = metrics_text({.component = "broker", .not_ready = {}, .records = records}, "1");
  for (const auto* const line : {
           R"(zinc_service_queue_time_seconds_bucket{endpoint="x",service="b",le="0.1"} 0)",
           R"(zinc_service_queue_time_seconds_bucket{endpoint="x",service="b",le="1"} 1)",
           R"(zinc_service_queue_time_seconds_bucket{endpoint="x",service="b",le="+Inf"} 1)",
           R"(zinc_service_queue_time_seconds_sum{endpoint="x",service="b"} 1)",
           R"(zinc_service_stored{endpoint="x",service="b",state="no"} 1)",
       }) {
    EXPECT_NE(text.find('\n' + std::string{line} + '\n'), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace zinc::http
