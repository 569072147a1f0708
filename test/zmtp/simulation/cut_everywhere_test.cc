// Production sockets whose first connection is cut at a byte, for each pair of types, either way
// round, in both directions. They recover, and lose only what the kernels and the layers over TCP had.
// With WebSocket and TLS, the short form has one of 37 ways.
//   --every N    offsets that are N apart (401, and ten times that with a sanitizer)
//   --one N      … of connections with one message each way (29, and ten times that with a sanitizer; 1,
//                 which is all, in a long run)
//   --large N    cuts at random offsets of streams with large messages, for each way (2; 20)
#include "test/support/long_run.h"
#include "test/zmtp/simulation/production_scenario.h"
#include "zmtp/simulation/random_source.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zmtp::simulation {
namespace {

struct {
  std::size_t every = 401 * test::one_of();
  std::size_t one = test::long_run() ? 1 : 29 * test::one_of();
  std::size_t large = test::long_run() ? 20 : 2;
} asked_for;

// How two sockets meet, and where their connection is cut.
struct way {
  std::string_view transport;
  std::size_t pattern = 0;
  bool hub_binds = false;
  planned_cut cut{};
  std::uint64_t seed = 0;
  unsigned large = 0;
  std::size_t messages = 12;
};

production_result run(const way& w) {
  return run_production(w.seed, {.transport = w.transport,
                                 .pattern = w.pattern,
                                 .cut = w.cut,
                                 .hub_binds = w.hub_binds,
                                 .large = w.large,
                                 .each_sends = w.messages});
}

std::string report_of(const way& w, const production_result& result) {
  auto text = std::string{w.transport} + ", " + result.description + ", byte " +
              std::to_string(w.cut.bytes) + " from the " +
              (w.cut.from == end_of_stream::connecting ? "connecting" : "accepting") + " socket, " +
              (w.cut.what == planned_cut::kind::taken ? "taken" : "arrived") +
              (w.hub_binds ? ", the hub binds" : "") + ", seed " + std::to_string(w.seed);
  for (const auto& f : result.findings) {
    text += "\n  " + std::string{to_string(f.what)} + ": " + f.text;
  }
  return text;
}

// Returns how many bytes there are to cut, if no byte is.
std::size_t bytes_of(way w) {
  w.cut.bytes = 0;
  const auto whole = run(w);
  EXPECT_TRUE(whole.findings.empty()) << report_of(w, whole);
  EXPECT_EQ(whole.figure("cut"), 0U) << report_of(w, whole);
  EXPECT_NE(whole.figure("parcels"), 0U) << report_of(w, whole);
  return whole.figure("taken");
}

void expect_survives(way w, std::size_t at) {
  w.cut.bytes = at;
  const auto result = run(w);
  EXPECT_TRUE(result.findings.empty()) << report_of(w, result);
  EXPECT_EQ(result.figure("cut"), 1U) << report_of(w, result);
}

class cut_everywhere : public testing::TestWithParam<std::string_view> {
protected:
  // Each way has another seed.
  template <class Visit>
  void for_each_way(Visit&& visit) {
    std::uint64_t seed = 100;
    for (std::size_t pattern = 0; pattern < patterns.size(); ++pattern) {
      for (const bool hub_binds : {false, true}) {
        for (const auto from : {end_of_stream::connecting, end_of_stream::accepting}) {
          for (const auto what : {planned_cut::kind::taken, planned_cut::kind::arrived}) {
            if (++seed % one_way_of() == 0 && !HasFailure()) {
              visit(way{.transport = GetParam(),
                        .pattern = pattern,
                        .hub_binds = hub_binds,
                        .cut = {.from = from, .what = what},
                        .seed = seed});
            }
          }
        }
      }
    }
  }
  // The layers add bytes, and TLS takes time.
  [[nodiscard]] std::uint64_t one_way_of() const { return GetParam() == "tcp" ? 1 : 37; }
};

// Returns the number of cuts.
std::size_t cut_with_distance(const way& w, std::size_t apart) {
  std::size_t cuts = 0;
  const auto all = bytes_of(w);
  // Other offsets for each way.
  for (auto at = 1 + w.seed * 7 % apart; at <= all && !testing::Test::HasFailure(); at += apart) {
    expect_survives(w, at);
    ++cuts;
  }
  return cuts;
}

TEST_P(cut_everywhere, sockets_recover_and_lose_only_what_was_under_way) {
  std::size_t cuts = 0;
  for_each_way([&](const way& w) { cuts += cut_with_distance(w, asked_for.every); });
  std::printf("%zu cuts\n", cuts);
  EXPECT_NE(cuts, 0U);
}

TEST_P(cut_everywhere, one_message_survives_a_cut_at_every_byte) {
  std::size_t cuts = 0;
  for_each_way([&](way w) {
    w.messages = 1;
    cuts += cut_with_distance(w, asked_for.one);
  });
  std::printf("%zu cuts\n", cuts);
  EXPECT_NE(cuts, 0U);
}

TEST_P(cut_everywhere, large_messages_survive_cuts_at_random_bytes) {
  random_source random{1 + test::long_part()};
  for_each_way([&](way w) {
    w.large = 40;
    w.messages = 8;
    const auto all = bytes_of(w);
    for (std::size_t i = 0; i < asked_for.large && !HasFailure(); ++i) {
      expect_survives(w, random.between(1, all));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(over, cut_everywhere, testing::Values("tcp", "ws", "tls+tcp", "wss"),
                         [](const auto& each) {
                           return each.param == "tls+tcp" ? "tls" : std::string{each.param};
                         });

// Two messages vanish that the kernels did not have when the connection was cut.
TEST(a_planted_fault, a_queue_that_is_lost_with_its_connection_is_noticed) {
  planted_fault fault;
  fault.received = [count = 0](const participant&, std::vector<routed_message>& got) mutable {
    std::vector<routed_message> left;
    for (auto& m : got) {
      ++count;
      if (count != 5 && count != 6) {
        left.push_back(std::move(m));
      }
    }
    got = std::move(left);
  };
  const auto result =
      run_production(9, {.pattern = 0, .cut = planned_cut{.bytes = 100}, .fault = fault});
  EXPECT_TRUE(result.shows(violation::lost));
}

void parse(int count, char** arguments) {
  for (int i = 1; i + 1 < count; ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--every") {
      asked_for.every = std::stoul(arguments[i + 1]);
    } else if (argument == "--one") {
      asked_for.one = std::stoul(arguments[i + 1]);
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
