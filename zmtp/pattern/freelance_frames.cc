#include "zmtp/pattern/freelance_frames.h"

#include <boost/endian/conversion.hpp>

#include <cstring>

namespace zmtp {

std::array<char, control_frame::size> control_frame::bytes() const noexcept {
  const std::array<std::uint64_t, 2> words{boost::endian::native_to_big(session),
                                           boost::endian::native_to_big(number)};
  std::array<char, size> bytes{};
  std::memcpy(bytes.data(), words.data(), size);
  return bytes;
}

std::optional<control_frame> control_frame::parse(std::string_view bytes) noexcept {
  if (bytes.size() != size) {
    return std::nullopt;
  }
  std::array<std::uint64_t, 2> words{};
  std::memcpy(words.data(), bytes.data(), size);
  return control_frame{boost::endian::big_to_native(words[0]),
                       boost::endian::big_to_native(words[1])};
}

}  // namespace zmtp
