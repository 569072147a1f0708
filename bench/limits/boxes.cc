#include "bench/limits/boxes.h"

#include "bench/limits/frames.h"
#include "bench/support/arguments.h"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace bench::limits {

namespace {

// The cost of a box does not depend on its key.
constexpr std::array<unsigned char, crypto_box_BEFORENMBYTES> key{1, 2, 3};

std::array<unsigned char, crypto_box_NONCEBYTES> nonce_of(std::uint64_t counter) {
  std::array<unsigned char, crypto_box_NONCEBYTES> nonce{};
  std::memcpy(nonce.data(), &counter, sizeof(counter));
  return nonce;
}

unsigned char* raw(std::byte* at) { return reinterpret_cast<unsigned char*>(at); }

}  // namespace

box_sealer::box_sealer(std::size_t body_size)
    : body_(body_size),
      buffer_(std::max<std::size_t>(write_size / (body_size + crypto_box_MACBYTES), 1) *
              (body_size + crypto_box_MACBYTES)) {}

std::span<const std::byte> box_sealer::seal(std::uint64_t left) {
  const auto box_size = body_.size() + crypto_box_MACBYTES;
  sealed_ = std::min<std::uint64_t>(left, buffer_.size() / box_size);
  for (std::uint64_t i = 0; i < sealed_; ++i) {
    if (crypto_box_easy_afternm(raw(buffer_.data() + i * box_size), raw(body_.data()), body_.size(),
                                nonce_of(++nonce_).data(), key.data()) != 0) {
      fail("libsodium cannot seal a box of this size");
    }
  }
  return std::span{buffer_}.first(sealed_ * box_size);
}

box_opener::box_opener(std::size_t body_size)
    : box_size_{body_size + crypto_box_MACBYTES},
      body_(body_size),
      buffer_(std::max(read_size, box_size_)) {}

std::uint64_t box_opener::received(std::size_t bytes) {
  kept_ += bytes;
  std::size_t at = 0;
  std::uint64_t opened = 0;
  for (; kept_ - at >= box_size_; at += box_size_, ++opened) {
    if (crypto_box_open_easy_afternm(raw(body_.data()), raw(buffer_.data() + at), box_size_,
                                     nonce_of(++nonce_).data(), key.data()) != 0) {
      fail("a box does not open: give both programs the same arguments");
    }
  }
  std::memmove(buffer_.data(), buffer_.data() + at, kept_ - at);
  kept_ -= at;
  return opened;
}

}  // namespace bench::limits
