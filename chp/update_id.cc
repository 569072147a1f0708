#include "chp/update_id.h"

#include "zmtp/routing/keyed_hash.h"

#include <boost/endian/conversion.hpp>

#include <algorithm>

namespace chp {

namespace {

constexpr std::uint64_t variant_mask = std::uint64_t{3} << 62;
constexpr std::uint64_t variant = std::uint64_t{2} << 62;  // the variant of RFC 9562

}  // namespace

update_id update_id::of_session(std::uint64_t session, std::uint64_t counter) noexcept {
  update_id id;
  boost::endian::store_big_u64(id.bytes_.data(), session);
  boost::endian::store_big_u64(id.bytes_.data() + 8, variant | counter);
  return id;
}

update_id update_id::of_random(std::uint64_t high, std::uint64_t low) noexcept {
  return of_session((high & ~std::uint64_t{0xf000}) | 0x4000, low & ~variant_mask);
}

update_id update_id::of_frame(std::string_view bytes) noexcept {
  update_id id;
  if (bytes.size() == size) {
    std::copy(bytes.begin(), bytes.end(), id.bytes_.begin());
  } else if (!bytes.empty()) {
    // Fixed keys, because two servers must get the same result. No UUID has version 15.
    const std::uint64_t high = zmtp::keyed_hash{1}(bytes) | 0xf000;
    boost::endian::store_big_u64(id.bytes_.data(), high);
    boost::endian::store_big_u64(id.bytes_.data() + 8, zmtp::keyed_hash{2}(bytes));
  }
  return id;
}

std::array<char, 36> update_id::text() const noexcept {
  constexpr std::string_view digits = "0123456789abcdef";
  std::array<char, 36> text{};
  auto* to = text.data();
  for (std::size_t i = 0; i < size; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) {
      *to++ = '-';
    }
    *to++ = digits[bytes_[i] >> 4];
    *to++ = digits[bytes_[i] & 15];
  }
  return text;
}

}  // namespace chp
