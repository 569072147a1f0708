// Runs schedules by hand: explore FIRST COUNT [PLANTED [production|witness]], the number of a planted fault,
// and whether the servers are those of production code, without or with a witness.
// Prints the first violation in its shortest form, or what the schedules did.

#include "test/chp/model/production_server.h"
#include "test/chp/model/world.h"

#include <cstdlib>
#include <iostream>
#include <string_view>

int main(int argc, char** argv) {
  using namespace chp::model;
  const std::uint64_t first = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  const std::uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 10'000;
  const auto fault = static_cast<planted>(argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 0);
  const bool has_witness = argc > 4 && std::string_view{argv[4]} == "witness";
  const maker servers = argc > 4 ? production_server::make : replica::make;
  figures sum;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    if (const auto found = try_seed(seed, fault, sum, servers, has_witness)) {
      std::cout << describe(seed, shorten(seed, fault, *found, servers, has_witness));
      return 1;
    }
  }
  std::cout << count << " schedules, " << sum.answers << " answers, " << sum.cuts << " cuts, "
            << sum.losses << " entries that no server has any more\n";
}
