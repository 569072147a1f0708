#include "zmtp/curve/box.h"

#include <boost/endian/conversion.hpp>
#include <sodium.h>

#include <algorithm>
#include <cassert>

namespace zmtp {

namespace {

unsigned char* raw(std::byte* p) noexcept { return reinterpret_cast<unsigned char*>(p); }
const unsigned char* raw(const std::byte* p) noexcept {
  return reinterpret_cast<const unsigned char*>(p);
}

// Selects the fastest code for this machine. Without it, libsodium works too, but slowly.
void prepare_libsodium() noexcept {
  static const int done = ::sodium_init();
  static_cast<void>(done);
}

}  // namespace

void wipe(std::span<std::byte> bytes) noexcept { ::sodium_memzero(bytes.data(), bytes.size()); }

bool equal_secrets(std::span<const std::byte> a, std::span<const std::byte> b) noexcept {
  return a.size() == b.size() && ::sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

namespace curve {

static_assert(box_key::size == crypto_box_BEFORENMBYTES);
static_assert(box_key::size == crypto_secretbox_KEYBYTES);
static_assert(sizeof(nonce) == crypto_secretbox_NONCEBYTES);
static_assert(box_overhead == crypto_secretbox_MACBYTES);
static_assert(sizeof(curve_public_key) == crypto_box_PUBLICKEYBYTES);
static_assert(curve_secret_key::size == crypto_box_SECRETKEYBYTES);

nonce make_nonce(std::string_view prefix, std::uint64_t counter) noexcept {
  nonce made{};
  assert(prefix.size() + short_nonce_size == made.size());
  std::ranges::copy(std::as_bytes(std::span{prefix}), made.begin());
  boost::endian::store_big_u64(raw(made.data() + prefix.size()), counter);
  return made;
}

nonce make_nonce(std::string_view prefix,
                 std::span<const std::byte, long_nonce_size> random) noexcept {
  nonce made{};
  assert(prefix.size() + long_nonce_size == made.size());
  std::ranges::copy(std::as_bytes(std::span{prefix}), made.begin());
  std::ranges::copy(random, made.begin() + static_cast<std::ptrdiff_t>(prefix.size()));
  return made;
}

curve_public_key base_multiple(const curve_secret_key& secret) noexcept {
  prepare_libsodium();
  curve_public_key made{};
  ::crypto_scalarmult_base(raw(made.data()), raw(secret.bytes().data()));
  return made;
}

std::optional<box_key> shared_key(const curve_public_key& theirs,
                                  const curve_secret_key& own) noexcept {
  prepare_libsodium();
  std::optional<box_key> made{std::in_place};
  if (::crypto_box_beforenm(raw(made->bytes().data()), raw(theirs.data()),
                            raw(own.bytes().data())) != 0) {
    made.reset();
  }
  return made;
}

// A box is a secretbox with the shared key.
void seal(std::span<std::byte> box, std::span<const std::byte> content, const nonce& n,
          const box_key& key) noexcept {
  assert(box.size() == content.size() + box_overhead);
  ::crypto_secretbox_easy(raw(box.data()), raw(content.data()), content.size(), raw(n.data()),
                          raw(key.bytes().data()));
}

bool open(std::span<std::byte> content, std::span<const std::byte> box, const nonce& n,
          const box_key& key) noexcept {
  assert(box.size() == content.size() + box_overhead);
  return ::crypto_secretbox_open_easy(raw(content.data()), raw(box.data()), box.size(),
                                      raw(n.data()), raw(key.bytes().data())) == 0;
}

}  // namespace curve

}  // namespace zmtp
