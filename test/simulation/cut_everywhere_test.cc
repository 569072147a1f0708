// Connections of all patterns, in both directions and either way round, that are cut at every byte;
// what may be lost is lost, and nothing else.
//   --every N    offsets that are N apart (13; 1, which is all, for PAIR, XPUB and XSUB)
//   --large N    cuts at random offsets of streams with large messages, for each way (20)
#include "test/simulation/cut_run.h"
#include "zmtp/simulation/random_source.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace zmtp::simulation {
namespace {

struct {
  std::optional<std::size_t> every;
  std::size_t large = 20;
} asked_for;

std::size_t apart(const pattern& between) {
  const auto one_of = [&](auto... types) {
    return ((between.hub == types || between.spokes == types) || ...);
  };
  const auto all = one_of(socket_type::pair, socket_type::xpub, socket_type::xsub);
  return asked_for.every.value_or(all ? 1 : 13);
}

constexpr auto ends = {end_of_stream::connecting, end_of_stream::accepting};
constexpr auto kinds = {cut_place::kind::taken, cut_place::kind::arrived};

std::string report_of(const cut_place& place, const cut_options& options,
                      const cut_result& result) {
  auto text = std::string{to_string(place.between.hub)} + " connected to " +
              std::string{to_string(place.between.spokes)} + ", byte " +
              std::to_string(place.bytes) +
              (place.from == end_of_stream::connecting ? " from" : " to") + " the former, " +
              (place.what == cut_place::kind::taken ? "taken" : "arrived") + ", seed " +
              std::to_string(options.seed);
  for (const auto& f : result.findings) {
    text += "\n  " + std::string{to_string(f.what)} + ": " + f.text;
  }
  return text;
}

// How many bytes there are to cut, if none is.
std::size_t bytes_of(cut_place place, const cut_options& options) {
  place.bytes = 0;
  const auto whole = run_cut(place, options);
  EXPECT_TRUE(whole.findings.empty()) << report_of(place, options, whole);
  EXPECT_FALSE(whole.was_cut);
  EXPECT_NE(whole.parcels, 0U) << report_of(place, options, whole);
  return whole.bytes;
}

template <class Visit>
void for_each_way(Visit&& visit) {
  for (const auto& between : patterns) {
    for (const auto from : ends) {
      for (const auto what : kinds) {
        visit(cut_place{.between = between, .from = from, .what = what});
      }
    }
  }
}

void expect_survives(const cut_place& place, const cut_options& options, std::size_t& cuts) {
  const auto result = run_cut(place, options);
  EXPECT_TRUE(result.findings.empty()) << report_of(place, options, result);
  EXPECT_TRUE(result.was_cut) << report_of(place, options, result);
  cuts += result.was_cut ? 1U : 0U;
}

TEST(cut_everywhere, small_messages_survive_a_cut_at_every_byte) {
  std::size_t cuts = 0;
  std::size_t way = 0;
  for_each_way([&](cut_place place) {
    if (testing::Test::HasFailure()) {
      return;
    }
    const cut_options options{
        .seed = 9, .messages = 12, .correlate = way % 3 != 0, .topic_changes = 20};
    const auto all = bytes_of(place, options);
    // Other offsets for each way.
    const auto step = apart(place.between);
    for (auto at = 1 + ++way % step; at <= all; at += step) {
      place.bytes = at;
      expect_survives(place, options, cuts);
    }
  });
  std::printf("%zu cuts\n", cuts);
}

TEST(cut_everywhere, large_messages_survive_cuts_at_random_bytes) {
  std::size_t cuts = 0;
  std::uint64_t seed = 100;
  random_source random{1};
  for_each_way([&](cut_place place) {
    if (testing::Test::HasFailure()) {
      return;
    }
    const cut_options options{
        .seed = ++seed, .messages = 8, .sizes = {.large = 40}, .correlate = true};
    const auto all = bytes_of(place, options);
    for (std::size_t i = 0; i < asked_for.large; ++i) {
      place.bytes = random.between(1, all);
      expect_survives(place, options, cuts);
    }
  });
  std::printf("%zu cuts\n", cuts);
}

void parse(int count, char** arguments) {
  for (int i = 1; i + 1 < count; ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--every") {
      asked_for.every = std::stoul(arguments[i + 1]);
    } else if (argument == "--large") {
      asked_for.large = std::stoul(arguments[i + 1]);
    }
  }
}

}  // namespace
}  // namespace zmtp::simulation

int main(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  zmtp::simulation::parse(count, arguments);
  return RUN_ALL_TESTS();
}
