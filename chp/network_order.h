#pragma once
// Numbers in network order, as rows and frames have them. Pure.

#include <boost/endian/conversion.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace chp {

// The 8 or 4 bytes of a number.
class network_number {
public:
  explicit network_number(std::uint64_t number, std::size_t size = 8) noexcept : size_{size} {
    if (size == 8) {
      boost::endian::store_big_u64(bytes_.data(), number);
    } else {
      boost::endian::store_big_u32(bytes_.data(), static_cast<std::uint32_t>(number));
    }
  }
  [[nodiscard]] std::string_view bytes() const noexcept {
    return {reinterpret_cast<const char*>(bytes_.data()), size_};
  }

private:
  std::array<unsigned char, 8> bytes_;
  std::size_t size_;
};

inline void append_u64(std::string& to, std::uint64_t number) {
  to += network_number{number}.bytes();
}
inline void append_u32(std::string& to, std::uint64_t number) {
  to += network_number{number, 4}.bytes();
}

// `from` must have the bytes.
[[nodiscard]] inline std::uint64_t load_u64(std::string_view from, std::size_t at = 0) noexcept {
  return boost::endian::load_big_u64(reinterpret_cast<const unsigned char*>(from.data() + at));
}
[[nodiscard]] inline std::uint32_t load_u32(std::string_view from, std::size_t at = 0) noexcept {
  return boost::endian::load_big_u32(reinterpret_cast<const unsigned char*>(from.data() + at));
}

}  // namespace chp
