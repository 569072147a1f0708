#include "bench/limits/frames.h"

#include "bench/support/arguments.h"

#include <algorithm>
#include <cstring>

namespace bench::limits {
namespace {

constexpr std::byte long_flag{2};
constexpr std::size_t short_header = 2;
constexpr std::size_t long_header = 9;
constexpr std::size_t largest_short = 255;
// Short bodies are copied in blocks, up to one less than a block beyond their end.
constexpr std::size_t block = 16;

std::size_t header_size(std::size_t body_size) {
  return body_size <= largest_short ? short_header : long_header;
}

void write_header(std::byte* to, std::size_t body_size) {
  if (body_size <= largest_short) {
    to[0] = std::byte{};
    to[1] = static_cast<std::byte>(body_size);
    return;
  }
  to[0] = long_flag;
  const std::uint64_t big_endian = __builtin_bswap64(body_size);
  std::memcpy(to + 1, &big_endian, sizeof big_endian);
}

void copy_body(std::byte* to, const std::byte* from, std::size_t size) {
  for (std::size_t at = 0; at < size; at += block) {
    std::memcpy(to + at, from + at, block);
  }
}

}  // namespace

std::size_t frame_size(std::size_t body_size) { return header_size(body_size) + body_size; }

frame_encoder::frame_encoder(std::size_t body_size)
    : body_size_{body_size},
      written_{body_size <= largest_short ? frame_size(body_size) : long_header},
      frame_(frame_size(body_size) + block, std::byte{'.'}),
      buffer_(write_size + block) {
  write_header(frame_.data(), body_size);
}

std::span<const std::byte> frame_encoder::encode(std::uint64_t count) {
  const std::size_t whole = frame_size(body_size_);
  std::size_t at = 0;
  while (completed_ < count && at < write_size) {
    if (within_frame_ == 0 && whole <= write_size - at) {
      at = encode_whole(at, count);
      continue;
    }
    const std::size_t piece = std::min(write_size - at, whole - within_frame_);
    if (within_frame_ < written_) {
      std::memcpy(buffer_.data() + at, frame_.data() + within_frame_,
                  std::min(piece, written_ - within_frame_));
    }
    at += piece;
    within_frame_ += piece;
    if (within_frame_ == whole) {
      within_frame_ = 0;
      ++completed_;
    }
  }
  return std::span{buffer_}.first(at);
}

std::size_t frame_encoder::encode_whole(std::size_t at, std::uint64_t count) {
  const std::size_t header = header_size(body_size_);
  const std::size_t whole = header + body_size_;
  const std::byte* const body = frame_.data() + header;
  const std::uint64_t fitting =
      std::min<std::uint64_t>((write_size - at) / whole, count - completed_);
  std::byte* to = buffer_.data() + at;
  for (std::uint64_t index = 0; index < fitting; ++index) {
    write_header(to, body_size_);
    if (written_ == whole) {
      copy_body(to + header, body, body_size_);
    }
    to += whole;
  }
  completed_ += fitting;
  return at + fitting * whole;
}

frame_decoder::frame_decoder(std::size_t body_size) : body_size_{body_size}, buffer_(read_size) {}

std::uint64_t frame_decoder::received(std::size_t bytes) {
  const std::byte* at = buffer_.data();
  const std::byte* const end = at + kept_ + bytes;
  std::uint64_t complete = 0;
  if (missing_ != 0) {
    const std::size_t skipped = std::min(missing_, static_cast<std::size_t>(end - at));
    at += skipped;
    missing_ -= skipped;
    if (missing_ != 0) {
      return 0;
    }
    ++complete;
  }
  while (end - at >= static_cast<std::ptrdiff_t>(short_header)) {
    std::size_t header = short_header;
    auto size = static_cast<std::uint64_t>(at[1]);
    if (at[0] == long_flag) {
      if (end - at < static_cast<std::ptrdiff_t>(long_header)) {
        break;
      }
      header = long_header;
      std::memcpy(&size, at + 1, sizeof size);
      size = __builtin_bswap64(size);
    }
    if (size != body_size_) {
      fail("a frame of another size: give both programs the same arguments");
    }
    at += header;
    const auto left = static_cast<std::size_t>(end - at);
    if (size > left) {
      missing_ = size - left;
      at = end;
      break;
    }
    at += size;
    ++complete;
  }
  kept_ = static_cast<std::size_t>(end - at);
  std::memmove(buffer_.data(), at, kept_);
  return complete;
}

}  // namespace bench::limits
