#include "chp/pair_record.h"

#include <boost/endian/conversion.hpp>

#include <array>
#include <cstddef>

namespace chp {

namespace {

using numbers = std::array<std::uint64_t, 5>;
constexpr std::size_t packed_size = sizeof(numbers) + 1;

unsigned char* bytes_of(std::string& text) noexcept {
  return reinterpret_cast<unsigned char*>(text.data());
}

}  // namespace

std::string pack(const pair_record& record) {
  std::string server_record(packed_size, '\0');
  const numbers all{record.base, record.own_epoch, record.common, record.own, record.begun};
  for (std::size_t i = 0; i < all.size(); ++i) {
    boost::endian::store_big_u64(bytes_of(server_record) + i * sizeof all[i], all[i]);
  }
  server_record.back() = record.accepted ? '\1' : '\0';
  return server_record;
}

std::optional<pair_record> unpack_pair_record(std::string_view server_record) noexcept {
  if (server_record.size() != packed_size || static_cast<unsigned char>(server_record.back()) > 1) {
    return std::nullopt;
  }
  numbers all{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = boost::endian::load_big_u64(
        reinterpret_cast<const unsigned char*>(server_record.data()) + i * sizeof all[i]);
  }
  return pair_record{.base = all[0],
                     .own_epoch = all[1],
                     .common = all[2],
                     .own = all[3],
                     .begun = all[4],
                     .accepted = server_record.back() == '\1'};
}

}  // namespace chp
