#pragma once
// The troubles that servers and workers of the Guide make up, so that one can watch how others cope.

#include <random>

namespace guide {

enum class trouble {
  none,
  crash,
  overload,
};

// After three requests each is a crash with a probability of one in `odds`, and of the rest one in
// `odds` an overload.
class simulated_faults {
public:
  simulated_faults(bool enabled, unsigned odds) : enabled_{enabled}, dice_{1, odds} {}

  // Of the next request.
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
