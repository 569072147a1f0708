#pragma once
// Numbers that follow from one random one. Pure.

#include <cstdint>

namespace chp {

// SplitMix64. The numbers are distinct, but not secret.
class random_numbers {
public:
  explicit random_numbers(std::uint64_t seed) noexcept : state_{seed} {}

  [[nodiscard]] std::uint64_t operator()() noexcept {
    state_ += 0x9e37'79b9'7f4a'7c15;
    auto bits = state_;
    bits = (bits ^ bits >> 30) * 0xbf58'476d'1ce4'e5b9;
    bits = (bits ^ bits >> 27) * 0x94d0'49bb'1331'11eb;
    return bits ^ bits >> 31;
  }

private:
  std::uint64_t state_;
};

}  // namespace chp
