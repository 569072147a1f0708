#pragma once
// The faults that servers and workers of the Guide simulate, to show how their peers handle them.

#include <random>

namespace guide {

enum class trouble {
  none,
  crash,
  overload,
};

// After three requests, each request is a crash with a probability of 1 / `odds`. The other requests are an overload
// with the same probability.
class simulated_faults {
public:
  simulated_faults(bool enabled, unsigned odds) : enabled_{enabled}, dice_{1, odds} {}

  // Returns the fault of the next request.
  [[nodiscard]] trouble next() {
    if (!enabled_ || ++cycles_ <= 3) {
      return trouble::none;
    }
    if (dice_(random_) == 1) {
      return trouble::crash;
    }
    return dice_(random_) == 1 ? trouble::overload : trouble::none;
  }

private:
  bool enabled_;
  unsigned cycles_ = 0;
  std::uniform_int_distribution<unsigned> dice_;
  std::mt19937 random_{std::random_device{}()};
};

}  // namespace guide
