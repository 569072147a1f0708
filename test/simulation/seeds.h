#pragma once
// The frame of tests that run scenarios, each from its seed. Options of the command line:
//   --seeds N         how many (500 or what the test says, a tenth with a sanitizer; 4,000 in each part of a long run)
//   --first-seed S    from which on (1, or the first of the part)
//   --seed S          this one alone
//   --trace           prints all that happens

#include "test/simulation/run_result.h"
#include "test/support/long_run.h"
#include "zmtp/simulation/trace.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp::simulation {

struct seeds : test::run_seeds {
  explicit seeds(std::uint64_t short_form) : run_seeds{short_form, 4'000} {}

  bool trace = false;
};

[[nodiscard]] const seeds& asked_for() noexcept;
// Prints, if that was asked for.
[[nodiscard]] trace::printer printer_asked_for();
// To be what main() returns. `short_form`: how many seeds there are by default.
[[nodiscard]] int run_tests(int count, char** arguments, std::uint64_t short_form = 500);

// The sum of many runs; each that found something is a failure of the test.
class seed_sum {
public:
  // `target`: Bazel's name of the test.
  explicit seed_sum(std::string_view target) : target_{target} {}

  void add(std::uint64_t seed, const run_summary& of, const std::vector<std::string>& findings);
  // Ten failures are enough to find a fault.
  [[nodiscard]] bool enough() const noexcept { return failed_ == 10; }
  void print() const;

private:
  std::string target_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::chrono::nanoseconds virtual_time_{};
  std::vector<std::pair<std::string_view, std::size_t>> figures_;
  std::uint64_t events_ = 0;
  std::uint64_t traces_ = 0;  // the same with every compiler
  std::size_t failed_ = 0;
};

// `run(seed)` returns a run_result.
template <class Run>
void expect_no_findings(std::string_view target, Run run) {
  seed_sum sum{target};
  const auto first = asked_for().first;
  const auto count = asked_for().count;
  for (auto seed = first; seed != first + count && !sum.enough(); ++seed) {
    const auto result = run(seed);
    std::vector<std::string> findings;
    for (const auto& f : result.findings) {
      findings.push_back(std::string{to_string(f.what)} + ": " + f.text);
    }
    sum.add(seed, result, findings);
  }
  sum.print();
}

// The same seed is the same run, and another is another.
template <class Run>
void expect_same_traces(Run run) {
  std::uint64_t last = 0;
  const auto first = asked_for().first;
  for (auto seed = first; seed != first + 30; ++seed) {
    const auto once = run(seed);
    const auto again = run(seed);
    EXPECT_EQ(once.trace_hash, again.trace_hash) << "seed " << seed;
    EXPECT_EQ(once.events, again.events) << "seed " << seed;
    EXPECT_NE(once.trace_hash, last) << "seeds " << seed - 1 << " and " << seed;
    last = once.trace_hash;
  }
}

// Returns whether one of the first seeds finds the violation. A violation that needs a coincidence with a
// fault takes more seeds than one that always occurs.
template <class Violation, class Run>
bool noticed(Violation what, Run run) {
  for (std::uint64_t seed = 1; seed <= 1'000; ++seed) {
    if (run(seed).shows(what)) {
      return true;
    }
  }
  return false;
}

}  // namespace zmtp::simulation
