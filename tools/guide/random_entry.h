#pragma once
// Random entries of the Guide's clone programs.

#include <cstdint>
#include <random>
#include <string>

namespace guide {

class random_entry {
public:
  [[nodiscard]] std::string key() { return std::to_string(below(10'000)); }
  [[nodiscard]] std::string value() { return std::to_string(below(1'000'000)); }
  // Returns a random number from 0 to `end` - 1.
  [[nodiscard]] std::uint32_t below(std::uint32_t end) {
    return std::uniform_int_distribution<std::uint32_t>{0, end - 1}(random_);
  }

private:
  std::minstd_rand random_{std::random_device{}()};
};

}  // namespace guide
