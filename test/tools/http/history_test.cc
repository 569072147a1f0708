#include "tools/zinc/http/history.h"

#include "test/tools/http/example_figures.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <gtest/gtest.h>

namespace zinc::http {
namespace {

using namespace std::chrono_literals;
using enum zmtp::figure::kind;
namespace json = boost::json;
using test::requests;
using test::stored;

constexpr zmtp::figure peers{"peers", gauge, "connected peers"};
constexpr zmtp::figure taken{"taken", histogram, "time taken", zmtp::figure::unit::seconds};

zmtp::figure_record of_broker(std::uint64_t count) {
  return {.group = "broker",
          .labels = {{"endpoint", "a"}},
          .samples = {{&requests, count}, {&peers, std::uint64_t{3}}}};
}

json::value parsed(const history& of, history::time_point now) {
  return json::parse(of.as_json(now)).at("history");
}

TEST(history, is_empty_at_first) {
  const auto all = parsed(history{}, {});
  EXPECT_EQ(all.at("ages"), json::array{});
  EXPECT_EQ(all.at("groups"), json::object{});
}

TEST(history, has_ages_and_values_in_order) {
  history past;
  const history::time_point start{};
  past.add(start, {.component = "broker", .not_ready = {}, .records = {of_broker(5)}});
  past.add(start + 1500ms, {.component = "broker", .not_ready = {}, .records = {of_broker(7)}});
  const auto all = parsed(past, start + 2s);
  EXPECT_EQ(all.at("ages"), json::parse("[2.0, 0.5]"));
  EXPECT_EQ(all.at("groups").at("broker").at("requests"), json::parse("[5, 7]"));
}

TEST(history, a_figure_that_never_changed_is_one_number) {
  history past;
  for (const auto at : {0s, 1s, 2s}) {
    past.add(history::time_point{} + at,
             {.component = "broker", .not_ready = {}, .records = {of_broker(5)}});
  }
  EXPECT_EQ(parsed(past, {}).at("groups").at("broker"),
            json::parse(R"({"requests": 5, "peers": 3})"));
}

TEST(history, adds_up_the_records_of_a_group) {
  history past;
  past.add({}, {.component = "broker", .not_ready = {}, .records = {of_broker(5), of_broker(6)}});
  EXPECT_EQ(parsed(past, {}).at("groups").at("broker"),
            json::parse(R"({"requests": 11, "peers": 6})"));
}

TEST(history, has_the_buckets_of_histograms_and_no_words) {
  zmtp::duration_histogram times;
  times.add(0ns);
  times.add(2h);
  history past;
  past.add({}, {.component = "chp",
                .not_ready = {},
                .records = {{.group = "chp",
                             .labels = {},
                             .samples = {{&stored, std::string_view{"all"}},
                                         {&taken, zmtp::durations_of(times)},
                                         {&peers, std::uint64_t{4}}}}}});
  const auto group = parsed(past, {}).at("groups").at("chp").as_object();
  EXPECT_FALSE(group.contains("stored"));
  EXPECT_EQ(group.at("peers"), 4);
  const auto& buckets = group.at("taken").at("buckets").as_array();
  EXPECT_EQ(buckets.size(), zmtp::duration_histogram::bounds.size() + 1);
  EXPECT_EQ(buckets.front(), 1);
  EXPECT_EQ(buckets.back(), 1);
}

TEST(history, forgets_what_is_older_than_ten_minutes) {
  history past;
  for (int at = 0; at <= 2'000; ++at) {
    past.add(history::time_point{} + std::chrono::seconds{at},
             {.component = "broker",
              .not_ready = {},
              .records = {of_broker(static_cast<std::uint64_t>(at))}});
    EXPECT_LE(past.size(), history::most_samples);
  }
  const auto all = parsed(past, history::time_point{} + 2'000s);
  EXPECT_EQ(all.at("ages").as_array().front(), 600.0);
  EXPECT_EQ(all.at("groups").at("broker").at("requests").as_array().front(), 1'400);
}

TEST(history, frequent_samples_do_not_add_memory) {
  history past;
  for (int at = 0; at <= 2'000; ++at) {
    past.add(history::time_point{} + std::chrono::milliseconds{at},
             {.component = "broker", .not_ready = {}, .records = {of_broker(1)}});
  }
  EXPECT_EQ(past.size(), history::most_samples);
}

TEST(history, begins_again_with_other_figures) {
  history past;
  past.add({}, {.component = "broker", .not_ready = {}, .records = {of_broker(5)}});
  past.add(
      {},
      {.component = "broker",
       .not_ready = {},
       .records = {{.group = "broker", .labels = {}, .samples = {{&peers, std::uint64_t{1}}}}}});
  EXPECT_EQ(past.size(), 1U);
  EXPECT_EQ(parsed(past, {}).at("groups"), json::parse(R"({"broker": {"peers": 1}})"));
}

TEST(history, equal_figures_of_another_order_are_other_figures) {
  history past;
  past.add({}, {.component = "broker", .not_ready = {}, .records = {of_broker(5)}});
  past.add({},
           {.component = "broker",
            .not_ready = {},
            .records = {{.group = "broker",
                         .labels = {},
                         .samples = {{&peers, std::uint64_t{3}}, {&requests, std::uint64_t{5}}}}}});
  EXPECT_EQ(past.size(), 1U);
}

}  // namespace
}  // namespace zinc::http
