#include "bench/support/updates.h"

#include <boost/endian/conversion.hpp>

#include <charconv>
#include <cinttypes>
#include <cstdio>

namespace bench {
namespace {

constexpr std::uint64_t key_stride = 7'919;  // a prime
constexpr std::uint64_t session = 0x5a49'4e43'0000'8001;
constexpr std::uint64_t variant = std::uint64_t{0b10} << 62;

}  // namespace

std::string_view update_key(std::uint64_t number, std::array<char, 20>& text) {
  const auto* const end =
      std::to_chars(text.data(), text.data() + text.size(), number * key_stride % update_keys).ptr;
  return {text.data(), static_cast<std::size_t>(end - text.data())};
}

std::array<std::byte, 16> update_uuid(std::uint64_t number) {
  std::array<std::byte, 16> uuid{};
  auto* const bytes = reinterpret_cast<unsigned char*>(uuid.data());
  boost::endian::store_big_u64(bytes, session);
  boost::endian::store_big_u64(bytes + 8, variant | (number + 1));
  return uuid;
}

std::uint64_t update_sequence(std::string_view frame) {
  return frame.size() == 8
             ? boost::endian::load_big_u64(reinterpret_cast<const unsigned char*>(frame.data()))
             : 0;
}

int update_run::report() const {
  if (delivered_ != expected_ || disordered_ != 0) {
    std::printf("missing: %" PRIu64 " of %" PRIu64 ", out of order: %" PRIu64 "\n",
                expected_ - delivered_, expected_, disordered_);
    return 1;
  }
  print_throughput(update_value.size(), delivered_, seconds_);
  return 0;
}

}  // namespace bench
