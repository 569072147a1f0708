// When Titanic asks for a service, gives it requests and looks at it again.

#include "mdp/titanic/service_table.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace mdp::titanic {
namespace {

using namespace std::chrono_literals;
using step = service_table::step;
using time_point = service_table::time_point;

constexpr time_point table_start{1000s};

const titanic_options options{.services = {{"own", {.in_flight = 1}}},
                              .presence = 1s,
                              .least_backoff = 100ms,
                              .most_backoff = 300ms};

// One for which a request has come.
service_record& waited_for(service_table& table, std::string_view name) {
  auto& one = table.of(name);
  table.enter(one);
  return one;
}

service_record& present(service_table& table, std::string_view name) {
  auto& one = waited_for(table, name);
  EXPECT_EQ(table.look_at(one, table_start, true), step::look_up);
  EXPECT_EQ(table.next_lookup(), &one);
  table.on_looked_up(one, true, table_start);
  return one;
}

TEST(service_table, a_service_has_limits_of_its_own_or_those_of_all) {
  service_table table{options};
  EXPECT_EQ(table.of("own").limits.in_flight, 1U);
  EXPECT_EQ(table.of("another").limits.in_flight, options.service.in_flight);
  EXPECT_EQ(&table.of("own"), &table.of("own"));
  EXPECT_EQ(table.size(), 2U);
}

TEST(service_table, dispatches_nothing_before_the_service_is_known) {
  service_table table{options};
  auto& one = waited_for(table, "s");
  EXPECT_EQ(table.look_at(one, table_start, true), step::look_up);
  ASSERT_EQ(table.next_lookup(), &one);
  EXPECT_EQ(table.next_lookup(), nullptr);
  EXPECT_EQ(table.look_at(one, table_start, true), step::nothing) << "it is being asked for";
  table.on_looked_up(one, true, table_start);
  EXPECT_EQ(table.look_at(one, table_start, true), step::give);
  EXPECT_EQ(table.look_at(one, table_start + 1s - 1ns, true), step::give);
  EXPECT_EQ(table.look_at(one, table_start + 1s, true), step::look_up) << "it may have gone";
}

TEST(service_table, a_service_for_which_nothing_waits_is_not_asked_for) {
  service_table table{options};
  auto& one = waited_for(table, "s");
  EXPECT_EQ(table.look_at(one, table_start, false), step::nothing);
  EXPECT_EQ(table.next_lookup(), nullptr);
  EXPECT_EQ(table.next_deadline(), std::nullopt);
}

TEST(service_table, looks_up_a_missing_service_with_growing_pauses) {
  service_table table{options};
  auto& one = waited_for(table, "s");
  auto now = table_start;
  for (const std::chrono::milliseconds pause : {100ms, 200ms, 300ms, 300ms}) {
    ASSERT_EQ(table.look_at(one, now, true), step::look_up);
    ASSERT_EQ(table.next_lookup(), &one);
    table.on_looked_up(one, false, now);
    EXPECT_EQ(table.look_at(one, now, true), step::nothing);
    EXPECT_EQ(table.next_deadline(), now + pause);
    EXPECT_EQ(table.due(now + pause - 1ns), nullptr);
    now += pause;
    EXPECT_EQ(table.due(now), &one);
  }
}

TEST(service_table, a_failure_causes_a_lookup_and_a_reply_marks_it_available) {
  service_table table{options};
  auto& one = present(table, "s");
  table.on_failure(one, table_start);
  EXPECT_EQ(table.look_at(one, table_start, true), step::nothing);
  EXPECT_EQ(table.look_at(one, table_start + 100ms, true), step::look_up);
  ASSERT_EQ(table.next_lookup(), &one);
  table.on_looked_up(one, true, table_start + 100ms);
  table.on_failure(one, table_start + 100ms);
  table.on_reply(one, table_start + 110ms);
  EXPECT_EQ(table.look_at(one, table_start + 110ms, true), step::give);
}

TEST(service_table, looks_up_sixteen_services_at_once_and_the_others_in_turn) {
  service_table table{options};
  std::vector<service_record*> all;
  for (int i = 0; i < 18; ++i) {
    all.push_back(&waited_for(table, std::to_string(i)));
    EXPECT_EQ(table.look_at(*all.back(), table_start, true), step::look_up);
  }
  for (std::size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(table.next_lookup(), all[i]);
  }
  EXPECT_EQ(table.next_lookup(), nullptr);
  table.on_looked_up(*all[5], true, table_start);
  EXPECT_EQ(table.next_lookup(), all[16]);
  EXPECT_EQ(table.next_lookup(), nullptr);
}

TEST(service_table, keeps_an_idle_service_for_its_lifetime) {
  service_table table{options};
  auto& one = present(table, "s");
  table.leave(one);
  EXPECT_EQ(table.look_at(one, table_start, false), step::nothing);
  EXPECT_EQ(table.size(), 1U);
  EXPECT_EQ(table.next_deadline(), table_start + 1s);
  ASSERT_EQ(table.due(table_start + 1s), &one);
  EXPECT_EQ(table.look_at(one, table_start + 1s, false), step::nothing);
  EXPECT_EQ(table.size(), 0U);
  EXPECT_EQ(table.next_deadline(), std::nullopt);
}

TEST(service_table, a_service_is_kept_while_a_place_of_it_is_taken) {
  service_table table{options};
  auto& one = present(table, "own");
  table.take_place(one);
  EXPECT_TRUE(one.full());
  table.leave(one);
  EXPECT_EQ(table.look_at(one, table_start + 1h, false), step::nothing);
  EXPECT_EQ(table.size(), 1U);
  table.leave_place(one);
  EXPECT_FALSE(one.full());
  EXPECT_EQ(table.look_at(one, table_start + 1h, false), step::nothing);
  EXPECT_EQ(table.size(), 0U);
}

TEST(service_table, services_due_at_the_same_time_are_ordered_by_name) {
  service_table table{options};
  for (const auto* const name : {"b", "a", "c"}) {
    auto& one = present(table, name);
    table.on_failure(one, table_start);
    EXPECT_EQ(table.look_at(one, table_start, true), step::nothing);
  }
  for (const auto* const name : {"a", "b", "c"}) {
    auto* const next = table.due(table_start + 100ms);
    ASSERT_NE(next, nullptr);
    EXPECT_EQ(next->name, name);
    EXPECT_EQ(table.look_at(*next, table_start + 100ms, true), step::look_up);
  }
  EXPECT_EQ(table.due(table_start + 100ms), nullptr);
}

TEST(service_table, reports_pending_and_in_flight_requests_by_name) {
  service_table table{options};
  auto& b = present(table, "b");
  table.enter(b);
  table.take_place(b);
  waited_for(table, "a");
  EXPECT_EQ(table.pending(), 3U);
  EXPECT_EQ(table.in_flight(), 1U);
  const auto all = table.status({}, 10);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].name, "a");
  EXPECT_EQ(all[0].pending, 1U);
  EXPECT_EQ(all[1].pending, 2U);
  EXPECT_EQ(all[1].in_flight, 1U);
  EXPECT_EQ(table.status("a", 10).size(), 1U);
  EXPECT_EQ(table.status({}, 1).front().name, "a");
}

}  // namespace
}  // namespace mdp::titanic
