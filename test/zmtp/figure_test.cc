#include "zmtp/figure.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>

namespace zmtp {
namespace {

using namespace std::chrono_literals;

struct status {
  std::uint64_t number = 7;
  bool flag = true;
  std::string_view word = "full";
};

using enum figure::kind;
constexpr std::array table{
    figure_of<status>{{"number", gauge, "a number"},
                      [](const status& s) { return figure_value{s.number}; }},
    figure_of<status>{{"flag", flag, "a flag"},
                      [](const status& s) { return figure_value{s.flag}; }},
    figure_of<status>{{"time", histogram, "durations", figure::unit::seconds},
                      [](const status&) -> figure_value { throw "must not be called"; }},
    figure_of<status>{{"word", word, "a word"},
                      [](const status& s) { return figure_value{s.word}; }},
};
constexpr std::span<const figure_of<status>> figures{table};

TEST(figure, line_has_all_figures_but_histograms) {
  EXPECT_EQ(line_of(figures, status{}), "number=7 flag=true word=full");
}

TEST(figure, samples_have_their_descriptions_and_values) {
  const auto samples = samples_of(figures.first(2), status{.number = 3, .flag = false});
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_EQ(samples[0].what->key, "number");
  EXPECT_EQ(samples[0].value, figure_value{std::uint64_t{3}});
  EXPECT_EQ(samples[1].value, figure_value{false});
}

TEST(figure, joined_tables_keep_their_order) {
  constexpr auto all = joined(std::array{1, 2}, std::array{3}, std::array{4, 5});
  EXPECT_EQ(all, (std::array{1, 2, 3, 4, 5}));
}

TEST(duration_histogram, bounds_increase) {
  const auto& bounds = duration_histogram::bounds;
  EXPECT_EQ(bounds.front(), 10us);
  EXPECT_EQ(bounds.back(), 30s);
  for (std::size_t i = 1; i < bounds.size(); ++i) {
    EXPECT_LT(bounds[i - 1], bounds[i]);
  }
}

TEST(duration_histogram, a_bucket_includes_its_bound) {
  for (std::size_t i = 0; i < duration_histogram::bounds.size(); ++i) {
    duration_histogram at;
    at.add(duration_histogram::bounds[i]);
    EXPECT_EQ(at.counts()[i], 1U) << i;
    duration_histogram above;
    above.add(duration_histogram::bounds[i] + 1ns);
    EXPECT_EQ(above.counts()[i + 1], 1U) << i;
  }
}

TEST(duration_histogram, counts_zero_and_sums_durations) {
  duration_histogram all;
  all.add(0ns);
  all.add(2s);
  all.add(1h);
  EXPECT_EQ(all.sum(), 1h + 2s);
  EXPECT_EQ(all.counts().front(), 1U);
  EXPECT_EQ(all.counts().back(), 1U);
  EXPECT_EQ(std::accumulate(all.counts().begin(), all.counts().end(), std::uint64_t{0}), 3U);
}

}  // namespace
}  // namespace zmtp
