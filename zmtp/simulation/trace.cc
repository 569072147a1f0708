#include "zmtp/simulation/trace.h"

namespace zmtp::simulation {

namespace {

constexpr std::uint64_t fnv_prime = 0x0000'0100'0000'01b3;

}  // namespace

void trace::mix(std::uint64_t figure) noexcept {
  for (int shift = 0; shift < 64; shift += 8) {
    hash_ = (hash_ ^ (figure >> shift & 0xff)) * fnv_prime;
  }
}

void trace::note(std::uint64_t microseconds, std::string_view what,
                 std::initializer_list<std::uint64_t> figures) {
  mix(microseconds);
  for (const auto byte : what) {
    hash_ = (hash_ ^ static_cast<unsigned char>(byte)) * fnv_prime;
  }
  for (const auto figure : figures) {
    mix(figure);
  }
  if (print_) {
    auto line = std::to_string(microseconds / 1000) + ".";
    const auto rest = std::to_string(microseconds % 1000);
    line += std::string(3 - rest.size(), '0') + rest + " ms  " + std::string{what};
    for (const auto figure : figures) {
      line += " " + std::to_string(figure);
    }
    print_(line);
  }
}

}  // namespace zmtp::simulation
