#include "test/simulation/seeds.h"

#include <cinttypes>
#include <cstdio>

namespace zmtp::simulation {

namespace {

seeds& asked() noexcept {
  static seeds all{500};
  return all;
}

void parse(int count, char** arguments) {
  auto& all = asked();
  const auto number_after = [&](int i) {
    return i + 1 < count ? std::stoull(arguments[i + 1]) : std::uint64_t{1};
  };
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--seeds") {
      all.count = number_after(i);
    } else if (argument == "--first-seed") {
      all.first = number_after(i);
    } else if (argument == "--seed") {
      all.first = number_after(i);
      all.count = 1;
    } else if (argument == "--trace") {
      all.trace = true;
    }
  }
}

}  // namespace

const seeds& asked_for() noexcept { return asked(); }

trace::printer printer_asked_for() {
  if (!asked_for().trace) {
    return {};
  }
  return [](std::string_view line) {
    std::printf("%.*s\n", static_cast<int>(line.size()), line.data());
  };
}

int run_tests(int count, char** arguments, std::uint64_t short_form) {
  testing::InitGoogleTest(&count, arguments);
  asked() = seeds{short_form};
  parse(count, arguments);
  return RUN_ALL_TESTS();
}

void seed_sum::add(std::uint64_t seed, const run_summary& of,
                   const std::vector<std::string>& findings) {
  virtual_time_ += of.virtual_time;
  events_ += of.events;
  traces_ = traces_ * 31 + of.trace_hash;
  figures_.resize(of.figures.size());
  for (std::size_t i = 0; i < of.figures.size(); ++i) {
    figures_[i].first = of.figures[i].first;
    figures_[i].second += of.figures[i].second;
  }
  if (findings.empty()) {
    return;
  }
  ++failed_;
  std::string text = "seed " + std::to_string(seed) + ": " + of.description;
  for (const auto& f : findings) {
    text += "\n  " + f;
  }
  ADD_FAILURE() << text << "\nTo see it again: bazel run " << target_ << " -- --trace --seed "
                << seed;
}

void seed_sum::print() const {
  using seconds = std::chrono::duration<double>;
  const seconds took = std::chrono::steady_clock::now() - began_;
  for (const auto& [what, sum] : figures_) {
    std::printf("%zu %.*s, ", sum, static_cast<int>(what.size()), what.data());
  }
  std::printf("%" PRIu64 " events, traces %016" PRIx64
              "; %.0f virtual seconds in %.2f s, %.0f times\n",
              events_, traces_, seconds{virtual_time_}.count(), took.count(),
              seconds{virtual_time_}.count() / took.count());
}

}  // namespace zmtp::simulation
