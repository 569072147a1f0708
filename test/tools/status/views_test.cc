#include "tools/zinc/status/views.h"

#include "test/tools/status/example_status.h"
#include "tools/zinc/status/fault.h"

#include <gtest/gtest.h>

namespace zinc::status {
namespace {

TEST(views, a_status_has_sheets_and_tables_without_peers) {
  EXPECT_EQ(status_text(test::broker_status(5, 0, 2, 0.003)),
            "broker 1.2: ready\n"
            "\n"
            "BROKER\n"
            "endpoint  tcp://a:1\n"
            "peers             4\n"
            "bytes          2KiB\n"
            "oldest          90s\n"
            "requests          5\n"
            "\n"
            "SERVICE  WAITING  REQUESTS  WORK_TIME\n"
            "echo           1         5      1.5ms\n"
            "slow          20         0          -\n");
}

TEST(views, peers_can_be_removed) {
  auto of = test::broker_status(0, 0);
  remove_peers(of);
  EXPECT_EQ(of.at("groups").as_object().size(), 2U);
  EXPECT_EQ(of.at("figures").as_object().size(), 2U);
  EXPECT_FALSE(of.at("groups").as_object().contains("worker"));
  for (const auto* const odd : {"1", "{}", R"({"groups": []})"}) {
    auto value = boost::json::parse(odd);
    remove_peers(value);
    EXPECT_EQ(value, boost::json::parse(odd));
  }
}

TEST(views, flags_are_words_and_empty_labels_are_left_out) {
  const auto of = test::broker_status(0, 0);
  const auto groups = groups_of(of);
  const auto* const workers = find(groups, worker_groups);
  ASSERT_NE(workers, nullptr);
  EXPECT_EQ(text_of(table_of(*workers)),
            "WORKER  DRAINING\n"
            "0.1          yes\n");
  EXPECT_EQ(find(groups, client_groups), nullptr);
  EXPECT_EQ(list_of(*workers), of.at("groups").at("worker"));
}

TEST(views, a_list_that_is_cut_says_so) {
  auto of = test::broker_status(0, 0);
  auto& broker = of.as_object()["groups"].as_object()["broker"].as_array()[0].as_object();
  EXPECT_EQ(cut_text(groups_of(of), worker_groups), "") << "unknown";
  broker["workers"] = 1;
  EXPECT_EQ(cut_text(groups_of(of), worker_groups), "");
  broker["workers"] = 10'000;
  EXPECT_EQ(cut_text(groups_of(of), worker_groups),
            "only 1 of 10000 workers are listed; connect to the broker over MMI for all");
  EXPECT_EQ(cut_text(groups_of(of), client_groups), "");
  EXPECT_EQ(cut_text(groups_of(of), service_groups), "");
}

TEST(views, endpoints_that_differ_are_a_column) {
  auto of = test::broker_status(0, 0);
  of.as_object()["groups"].as_object()["service"].as_array()[1].as_object()["endpoint"] =
      "tcp://a:2";
  EXPECT_NE(status_text(of).find("ENDPOINT   SERVICE"), std::string::npos) << status_text(of);
}

TEST(views, a_server_that_is_not_ready_says_why) {
  EXPECT_EQ(head_of(boost::json::parse(R"({"component": "chp", "not_ready": "passive\u001b"})")),
            "chp: not ready: passive\\x1b");
}

TEST(views, other_values_are_refused_or_shown_as_they_are) {
  for (const auto* const wrong : {"1", "[]", "{}", R"({"groups": []})", R"({"groups": {"a": 1}})",
                                  R"({"groups": {"a": [1]}})"}) {
    EXPECT_THROW((void)groups_of(boost::json::parse(wrong)), fault) << wrong;
  }
  const auto odd =
      boost::json::parse(R"({"component": 7, "figures": {"g": {"n": {"type": "counter"}, "h":
      {"type": "histogram"}}}, "groups": {"g": [{"name": "x", "n": "text", "h": 5, "m": -1.5, "z": null},
      {"other": 1}]}})");
  EXPECT_EQ(status_text(odd), ": ready\n\nNAME     M     Z\nx     -1.5  null\n-        -     -\n");
}

}  // namespace
}  // namespace zinc::status
