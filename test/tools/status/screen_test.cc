#include "tools/zinc/status/screen.h"

#include "test/tools/status/example_status.h"
#include "tools/zinc/status/views.h"

#include <gtest/gtest.h>

namespace zinc::status {
namespace {

using lines = std::vector<std::string>;

TEST(screen, the_first_one_has_no_rates) {
  const auto now = test::broker_status(5, 100, 2, 0.004);
  const auto made = screen_of(now, nullptr, 0, {.lists = service_groups}, "");
  EXPECT_EQ(
      made.lines,
      (lines{"broker 1.2: ready", "peers 4  bytes 2KiB  oldest 90s  requests 105 (-/s)", "",
             "SERVICE  WAITING  REQUESTS/S  WORK_TIME", "echo           1           -      2.0ms",
             "slow          20           -          -"}));
  EXPECT_EQ(made.titles, 3U);
  EXPECT_EQ(made.keys, (lines{"service", "waiting", "requests", "work_time"}));
}

TEST(screen, rates_and_times_are_those_since_the_last_one) {
  const auto before = test::broker_status(5, 100, 2, 0.004);
  const auto now = test::broker_status(10, 1'100, 4, 0.010);
  const auto made = screen_of(now, &before, 2, {.lists = service_groups}, "lost: x\x1b");
  EXPECT_EQ(made.lines, (lines{"broker 1.2: ready", "lost: x\\x1b",
                               "peers 4  bytes 2KiB  oldest 90s  requests 1110 (502/s)", "",
                               "SERVICE  WAITING  REQUESTS/S  WORK_TIME",
                               "slow          20         500          -",
                               "echo           1         2.5      3.0ms"}));
}

TEST(screen, rows_have_the_order_that_is_asked_for) {
  const auto before = test::broker_status(5, 100, 2, 0.004);
  const auto now = test::broker_status(10, 1'100, 4, 0.010);
  const auto first = [&](const std::string& sort, bool reverse) {
    return screen_of(now, &before, 1, {.lists = service_groups, .sort = sort, .reverse = reverse},
                     "")
        .lines[4]
        .substr(0, 4);
  };
  EXPECT_EQ(first("service", false), "echo");
  EXPECT_EQ(first("service", true), "slow");
  EXPECT_EQ(first("waiting", false), "slow");
  EXPECT_EQ(first("waiting", true), "echo");
  EXPECT_EQ(first("work_time", false), "echo");
  EXPECT_EQ(first("no such column", false), "echo");
}

TEST(screen, fits_into_the_terminal) {
  const auto now = test::broker_status(5, 100);
  const auto made =
      screen_of(now, nullptr, 0, {.lists = service_groups, .width = 20, .height = 6}, "");
  EXPECT_EQ(made.lines, (lines{"broker 1.2: ready", "peers 4  bytes 2KiB", "oldest 90s",
                               "requests 105 (-/s)", "", "SERVICE  WAITING  RE"}));
}

// The sum of the times, and one counter, fall. All other figures rise.
TEST(screen, a_server_that_has_started_again_has_no_rates_yet) {
  const auto before = test::broker_status(5, 100, 2, 10);
  const auto now = test::broker_status(6, 90, 3, 0.003);
  EXPECT_EQ(
      screen_of(now, &before, 1, {.lists = service_groups}, "").lines,
      (lines{"broker 1.2: ready", "peers 4  bytes 2KiB  oldest 90s  requests 96 (-/s)", "",
             "SERVICE  WAITING  REQUESTS/S  WORK_TIME", "echo           1           -      1.0ms",
             "slow          20           -          -"}));
}

TEST(screen, a_long_name_does_not_hide_the_figures) {
  auto now = test::broker_status(5, 100);
  now.as_object()["groups"].as_object()["service"].as_array()[0].as_object()["service"] =
      (std::string(60, 'a') + '\x1b').c_str();
  const auto of_width = [&](std::size_t width) {
    return screen_of(now, nullptr, 0, {.lists = service_groups, .width = width}, "").lines;
  };
  EXPECT_EQ(of_width(45)[5], "aaaaaaaaaaaaa..        1           -");
  EXPECT_EQ(of_width(0)[4].substr(0, 70), std::string(60, 'a') + "\\x1b      ");
}

TEST(screen, a_server_without_a_list_has_only_its_figures) {
  const auto now = test::broker_status(0, 0);
  EXPECT_EQ(screen_of(now, nullptr, 0, {.lists = client_groups}, "").lines,
            (lines{"broker 1.2: ready", "peers 4  bytes 2KiB  oldest 90s"}));
}

}  // namespace
}  // namespace zinc::status
