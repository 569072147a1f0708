#include "zmtp/framing/curve_framing.h"

#include "zmtp/frame.h"

#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace zmtp {

namespace {

constexpr std::string_view name = "\x07MESSAGE";
constexpr std::size_t box_at = name.size() + curve::short_nonce_size;
constexpr std::size_t content_at = box_at + curve::box_overhead;
constexpr std::size_t flags_size = 1;  // the first byte of the content
// Bytes that the body of a frame on the wire is longer than the body of its ZMTP frame.
constexpr std::size_t longer = content_at + flags_size;

// Flags inside the box.
constexpr std::byte more_inside{0x01};
constexpr std::byte command_inside{0x02};

constexpr std::string_view nonce_prefix(curve_framing::side from) noexcept {
  return from == curve_framing::side::client ? "CurveZMQMESSAGEC" : "CurveZMQMESSAGES";
}

constexpr curve_framing::side other(curve_framing::side own) noexcept {
  return own == curve_framing::side::client ? curve_framing::side::server
                                            : curve_framing::side::client;
}

// Copies bytes out of pieces, one after the other.
class piece_reader {
public:
  explicit piece_reader(std::span<const framing::piece> from) noexcept : from_{from} {}

  [[nodiscard]] bool empty() noexcept {
    while (!from_.empty() && at_ == from_.front().size()) {
      from_ = from_.subspan(1);
      at_ = 0;
    }
    return from_.empty();
  }
  void copy(std::byte* to, std::size_t count) noexcept {
    while (count != 0 && !empty()) {
      const auto step = std::min(count, from_.front().size() - at_);
      std::memcpy(to, from_.front().data() + at_, step);
      to += step;
      at_ += step;
      count -= step;
    }
  }

private:
  std::span<const framing::piece> from_;
  std::size_t at_ = 0;
};

}  // namespace

curve_framing::curve_framing(side own, const curve::box_key& key, std::uint64_t sent,
                             std::uint64_t received, const limits& limit) noexcept
    : key_{key},
      sent_{sent},
      received_{received},
      largest_{longer + std::max(limit.frame_size, limit.command_size)},
      own_{own} {}

framing::progress curve_framing::read(std::span<std::byte> from, std::span<std::byte> to) noexcept {
  progress p;
  while (p.used != from.size()) {
    const auto rest = from.subspan(p.used);
    // libzmq sends MESSAGE without the flag of commands, RFC 26 with it.
    if ((rest[0] & ~(frame::long_size | frame::command)) != std::byte{0}) {
      p.fault = errc::bad_frame_flags;
      return p;
    }
    const auto header = frame::header_size(rest[0]);
    if (rest.size() < header) {
      return p;
    }
    const auto size = frame::declared_size(rest.data());
    if (size > largest_) {
      p.fault = errc::frame_too_large;
      return p;
    }
    if (rest.size() - header < size) {
      return p;
    }
    const auto opened =
        open(rest.subspan(header, static_cast<std::size_t>(size)), to.data() + p.made);
    if (!opened) {
      p.fault = opened.error();
      return p;
    }
    p.used += header + static_cast<std::size_t>(size);
    p.made += *opened;
  }
  return p;
}

// Writes a ZMTP frame to `to`, and returns its size.
result<std::size_t> curve_framing::open(std::span<const std::byte> body, std::byte* to) noexcept {
  const auto named = body.size() >= name.size() &&
                     std::ranges::equal(body.first(name.size()), std::as_bytes(std::span{name}));
  if (!named) {
    return errc::unexpected_command;
  }
  if (body.size() < longer) {
    return errc::bad_command;
  }
  const auto counter = boost::endian::load_big_u64(
      reinterpret_cast<const unsigned char*>(body.data() + name.size()));
  if (counter <= received_) {
    return errc::nonce_not_increased;
  }
  const auto size = body.size() - longer;
  const auto header = frame::header_size(size);
  // The flags inside are where the header ends, so that the body is in its place.
  auto* const inside = to + header - flags_size;
  if (!curve::open({inside, flags_size + size}, body.subspan(box_at),
                   curve::make_nonce(nonce_prefix(other(own_)), counter), key_)) {
    return errc::box_not_opened;
  }
  received_ = counter;
  const auto flags = *inside;
  if ((flags & ~(more_inside | command_inside)) != std::byte{0}) {
    return errc::bad_frame_flags;
  }
  auto outside = frame::has(flags, more_inside) ? frame::more : std::byte{0};
  if (frame::has(flags, command_inside)) {
    outside |= frame::command;
  }
  frame::put_header(to, outside, size);
  return header + size;
}

std::size_t curve_framing::write(std::span<const piece> from, std::span<std::byte> to) noexcept {
  auto* out = to.data();
  for (piece_reader reader{from}; !reader.empty();) {
    std::array<std::byte, frame::max_header_size> header{};
    reader.copy(header.data(), 1);
    reader.copy(header.data() + 1, frame::header_size(header[0]) - 1);
    const auto size = static_cast<std::size_t>(frame::declared_size(header.data()));
    auto* const body = frame::put_header(out, std::byte{0}, size + longer);
    std::memcpy(body, name.data(), name.size());
    boost::endian::store_big_u64(reinterpret_cast<unsigned char*>(body + name.size()), ++sent_);
    auto flags = frame::has(header[0], frame::more) ? more_inside : std::byte{0};
    if (frame::has(header[0], frame::command)) {
      flags |= command_inside;
    }
    body[content_at] = flags;
    reader.copy(body + longer, size);
    curve::seal({body + box_at, curve::box_overhead + flags_size + size},
                {body + content_at, flags_size + size},
                curve::make_nonce(nonce_prefix(own_), sent_), key_);
    out = body + longer + size;
  }
  return static_cast<std::size_t>(out - to.data());
}

std::size_t curve_framing::needed(std::span<const std::byte> from) const noexcept {
  if (from.empty() || from.size() < frame::header_size(from[0])) {
    return from.empty() ? frame::header_size(std::byte{0}) : frame::header_size(from[0]);
  }
  return frame::header_size(from[0]) + static_cast<std::size_t>(std::min<std::uint64_t>(
                                           frame::declared_size(from.data()), largest_));
}

std::size_t curve_framing::overhead() const noexcept {
  // A short header may become a long one.
  return longer + frame::max_header_size - frame::header_size(std::byte{0});
}

}  // namespace zmtp
