// Random scenarios of production sockets, each from its seed. See test/simulation/seeds.h for the
// options of the command line.
#include "test/simulation/seeds.h"
#include "test/zmtp/simulation/production_scenario.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace zmtp::simulation {
namespace {

production_result run(std::uint64_t seed) {
  return run_production(seed, {.print = printer_asked_for()});
}

TEST(production_scenarios, nothing_is_lost_doubled_spliced_or_out_of_order) {
  expect_no_findings("//test/zmtp/simulation:production_scenarios_test", run);
}

TEST(production_scenarios, the_same_seed_gives_the_same_trace) { expect_same_traces(run); }

TEST(production_scenarios, every_pair_of_types_delivers_without_trouble) {
  for (std::size_t pattern = 0; pattern < production_patterns(); ++pattern) {
    const auto result = run_production(1, {.pattern = pattern, .no_troubles = true});
    for (const auto& f : result.findings) {
      ADD_FAILURE() << result.description << ": " << f.text;
    }
    EXPECT_GT(result.figure("parcels"), 5U) << result.description;
  }
}

// The checks notice what a faulty socket would do.

using edit = std::function<std::vector<message>(message)>;

bool noticed_with(violation what, const edit& planted) {
  return noticed(what, [&](std::uint64_t seed) {
    return run_production(seed, {.no_troubles = true, .edit = planted});
  });
}

std::vector<message> only(message m) {
  std::vector<message> all;
  all.push_back(std::move(m));
  return all;
}

TEST(planted_faults, a_message_that_comes_twice_is_noticed) {
  EXPECT_TRUE(noticed_with(violation::duplicate, [](message m) {
    auto all = only(m);
    all.push_back(std::move(m));
    return all;
  }));
}

TEST(planted_faults, a_lost_message_is_noticed) {
  EXPECT_TRUE(noticed_with(violation::lost, [count = 0](message m) mutable {
    return ++count == 7 ? std::vector<message>{} : only(std::move(m));
  }));
}

TEST(planted_faults, a_missing_part_is_noticed) {
  EXPECT_TRUE(noticed_with(violation::partial, [](const message& m) {
    message shorter;
    for (std::size_t i = 0; i + 1 < m.size(); ++i) {
      shorter.push_back(m[i]);
    }
    return only(std::move(shorter));
  }));
}

TEST(planted_faults, a_part_of_another_message_is_noticed) {
  EXPECT_TRUE(noticed_with(violation::spliced, [last = message{}](message m) mutable {
    message mixed;
    for (std::size_t i = 0; i < m.size(); ++i) {
      const bool replaced = i != 0 && i + 1 == m.size() && last.size() > 1;
      mixed.push_back(replaced ? last.back() : m[i]);
    }
    last = std::move(m);
    return only(std::move(mixed));
  }));
}

TEST(planted_faults, two_messages_in_the_wrong_order_are_noticed) {
  EXPECT_TRUE(noticed_with(violation::reordered, [held = message{}](message m) mutable {
    if (held.empty()) {
      held = std::move(m);
      return std::vector<message>{};
    }
    auto all = only(std::move(m));
    all.push_back(std::exchange(held, message{}));
    return all;
  }));
}

}  // namespace
}  // namespace zmtp::simulation

int main(int count, char** arguments) { return zmtp::simulation::run_tests(count, arguments); }
