#pragma once
// A mechanism whose framing adds five bytes to each frame and masks it: NULL in the handshake, then
// no frame on the wire is a ZMTP frame. It finds every frame that is lost, doubled, moved or altered.

#include "zmtp/error.h"
#include "zmtp/frame.h"
#include "zmtp/framing/framing.h"
#include "zmtp/mechanism/null.h"
#include "zmtp/options.h"

#include <boost/endian/conversion.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace zmtp::test {

// On the wire, a frame is the low byte of its number, the size of the ZMTP frame in four bytes, and
// this frame with each byte masked by the number and its place.
class masked_framing final : public framing {
public:
  static constexpr std::size_t header_size = 5;

  explicit masked_framing(std::size_t largest_frame) noexcept : largest_{largest_frame} {}

  progress read(std::span<std::byte> from, std::span<std::byte> to) noexcept override {
    progress p;
    while (from.size() - p.used >= header_size) {
      const auto* const header = from.data() + p.used;
      const auto size = size_at(header);
      if (header[0] != std::byte{read_} || size > largest_ + frame::max_header_size) {
        p.fault = errc::bad_frame_flags;
        return p;
      }
      if (from.size() - p.used - header_size < size) {
        return p;
      }
      std::memmove(to.data() + p.made, header + header_size, size);
      mask({to.data() + p.made, size}, read_++);
      p.used += header_size + size;
      p.made += size;
    }
    return p;
  }

  std::size_t write(std::span<const piece> from, std::span<std::byte> to) noexcept override {
    std::string flat;
    for (const auto& p : from) {
      flat.append(reinterpret_cast<const char*>(p.data()), p.size());
    }
    std::size_t made = 0;
    const auto* const all = reinterpret_cast<const std::byte*>(flat.data());
    for (std::size_t at = 0; at < flat.size();) {
      const auto size = frame::header_size(all[at]) + frame::declared_size(all + at);
      auto* const out = to.data() + made;
      out[0] = std::byte{written_};
      boost::endian::store_big_u32(reinterpret_cast<unsigned char*>(out + 1),
                                   static_cast<std::uint32_t>(size));
      std::memcpy(out + header_size, all + at, size);
      mask({out + header_size, size}, written_++);
      at += size;
      made += header_size + size;
    }
    return made;
  }

  std::size_t needed(std::span<const std::byte> from) const noexcept override {
    return from.size() < header_size ? header_size : header_size + size_at(from.data());
  }

  std::size_t overhead() const noexcept override { return header_size; }

private:
  static std::size_t size_at(const std::byte* header) noexcept {
    return boost::endian::load_big_u32(reinterpret_cast<const unsigned char*>(header + 1));
  }
  static void mask(std::span<std::byte> bytes, std::uint8_t number) noexcept {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] ^= static_cast<std::byte>(number * 7 + i + 0x5A);
    }
  }

  std::size_t largest_;
  std::uint8_t read_ = 0;
  std::uint8_t written_ = 0;
};

class masked_mechanism final : public null_mechanism {
public:
  masked_mechanism(handshake_role role, metadata own, const limits& limit)
      : null_mechanism{std::move(own), limit,
                       role == handshake_role::accepting ? ready::once_admitted : ready::at_once},
        largest_frame_{limit.frame_size} {}

  [[nodiscard]] std::string_view name() const noexcept override { return "MASKED"; }
  [[nodiscard]] std::unique_ptr<framing> take_framing() override {
    return std::make_unique<masked_framing>(largest_frame_);
  }

private:
  std::size_t largest_frame_;
};

inline custom_security masked_security() {
  return {[](handshake_role role, metadata own, const limits& limit, const random_bytes&) {
    return std::make_unique<masked_mechanism>(role, std::move(own), limit);
  }};
}

// Returns frames as a peer with this framing writes them, as the first ones of its connection.
inline std::string masked(std::string_view frames) {
  masked_framing form{static_cast<std::size_t>(-1) / 2};
  std::string to(frames.size() * (1 + masked_framing::header_size), '\0');
  const std::span whole{std::as_bytes(std::span{frames})};
  const auto made =
      form.write(std::array{framing::piece{whole}}, std::as_writable_bytes(std::span{to}));
  to.resize(made);
  return to;
}

// Returns the frames in the bytes of such a peer, from the first frame of its connection on. A wire
// frame that is incomplete or wrong ends them.
inline std::string unmasked(std::string wire) {
  masked_framing form{static_cast<std::size_t>(-1) / 2};
  const auto bytes = std::as_writable_bytes(std::span{wire});
  const auto p = form.read(bytes, bytes);
  return wire.substr(0, p.made);
}

}  // namespace zmtp::test
