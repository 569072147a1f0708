#pragma once
// Random bytes that are the same in each run.

#include "zmtp/options.h"

#include <cstddef>
#include <memory>
#include <random>
#include <span>

namespace zmtp::test {

// Copies continue the same sequence.
inline random_bytes fixed_random(unsigned seed) {
  return [engine = std::make_shared<std::mt19937>(seed)](std::span<std::byte> to) {
    for (auto& byte : to) {
      byte = static_cast<std::byte>((*engine)());
    }
  };
}

}  // namespace zmtp::test
