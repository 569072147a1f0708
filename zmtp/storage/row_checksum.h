#pragma once
// Detects that a row of a table is not as it was written.

#include <boost/crc.hpp>
#include <boost/endian/conversion.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace zmtp {

// A checksum of the columns of a row. Each column has its size before it, so that different rows
// cannot have the same bytes.
class row_checksum {
public:
  explicit row_checksum(char table) { crc_.process_byte(static_cast<unsigned char>(table)); }

  row_checksum& operator<<(std::uint64_t value) {
    boost::endian::native_to_little_inplace(value);
    crc_.process_bytes(&value, sizeof value);
    return *this;
  }
  row_checksum& operator<<(std::span<const std::byte> octets) {
    *this << std::uint64_t{octets.size()};
    crc_.process_bytes(octets.data(), octets.size());
    return *this;
  }
  row_checksum& operator<<(std::string_view octets) {
    return *this << std::as_bytes(std::span{octets});
  }
  [[nodiscard]] std::uint64_t value() const { return crc_.checksum(); }

private:
  boost::crc_32_type crc_;
};

}  // namespace zmtp
