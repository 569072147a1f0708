#pragma once
// All chance of a simulation, from one seed: the same on every machine.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>

namespace zmtp::simulation {

// The standard's distributions differ between libraries; remainders do not.
class random_source {
public:
  explicit random_source(std::uint64_t seed) : engine_{seed} {}

  [[nodiscard]] std::uint64_t next() { return engine_(); }
  // 0 … n - 1.
  [[nodiscard]] std::size_t pick(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
  // Both ends included.
  [[nodiscard]] std::size_t between(std::size_t least, std::size_t most) {
    return least + pick(most - least + 1);
  }
  [[nodiscard]] bool chance(unsigned percent) { return engine_() % 100 < percent; }
  // Returns a time that is more than zero and at most `most`.
  template <class Rep, class Period>
  [[nodiscard]] std::chrono::duration<Rep, Period> up_to(std::chrono::duration<Rep, Period> most) {
    return std::chrono::duration<Rep, Period>{
        static_cast<Rep>(1 + pick(static_cast<std::size_t>(most.count())))};
  }

private:
  std::mt19937_64 engine_;
};

}  // namespace zmtp::simulation
