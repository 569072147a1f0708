#include "test/fuzz/oracle.h"
#include "zmtp/greeting.h"

#include <algorithm>
#include <span>

namespace zmtp::fuzz {
namespace {

bool judges_greetings(error_code fault) {
  return fault == errc::not_zmtp || fault == errc::version_1_refused ||
         fault == errc::version_2_refused || fault == errc::bad_mechanism_name ||
         fault == errc::mechanism_mismatch;
}

// Bytes arrive in pieces, so later bytes must not change a result.
error_code judged_in_pieces(std::span<const std::byte> bytes, std::string_view mechanism) {
  error_code first;
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    const auto judgement = greeting::check(bytes.first(size), mechanism);
    if (first) {
      require(judgement == first, "a refused greeting stays refused for the same reason");
    }
    first = judgement;
  }
  require(!first || judges_greetings(first), "a refusal is one of the greeting's");
  return first;
}

void try_greeting(std::span<const std::byte> bytes) {
  constexpr std::string_view mechanisms[] = {"NULL", "PLAIN", "CURVE"};
  int accepted = 0;
  for (const auto mechanism : mechanisms) {
    if (judged_in_pieces(bytes, mechanism) || bytes.size() < greeting::size) {
      continue;
    }
    ++accepted;
    const auto version = greeting::peer_version(bytes);
    require(version.major == 3 && version.minor <= 1, "an accepted peer speaks 3.0 or 3.1 with us");
    const auto ours = greeting::encode(mechanism, false);
    require(std::equal(ours.begin() + 12, ours.begin() + 32, bytes.begin() + 12),
            "an accepted mechanism is ours, byte by byte");
  }
  require(accepted <= 1, "a greeting names one mechanism");
}

}  // namespace
}  // namespace zmtp::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes{data, std::min(size, zmtp::greeting::size)};
  zmtp::fuzz::try_greeting(std::as_bytes(bytes));
  return 0;
}
