#pragma once
// A hash of bytes that peers choose. Without the key, a peer cannot cause collisions.

#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace zmtp {

// Processes eight bytes per multiplication, and the remaining bytes at the end. So the hashes of
// several prefixes of a text cost little more than the hash of the longest.
class keyed_hash {
public:
  // `seed` must have 64 random bits.
  explicit keyed_hash(std::uint64_t seed) noexcept
      : start_{expand(seed)}, step_{expand(seed) | 1}, end_{expand(seed) | 1} {}

  // Hashes prefixes of a text. Keeps a view of the text.
  class walk {
  public:
    walk(const keyed_hash& key, std::string_view text) noexcept
        : key_{&key}, text_{text}, state_{key.start_} {}
    // Returns the hash of the first `length` bytes. `length` must not decrease between calls, or
    // exceed the text.
    [[nodiscard]] std::uint64_t to(std::size_t length) noexcept {
      for (; length - at_ >= word; at_ += word) {
        state_ = fold(state_ ^ load(at_), key_->step_);
      }
      return fold(state_ ^ rest(length - at_), key_->end_ ^ length);
    }

  private:
    [[nodiscard]] std::uint64_t load(std::size_t at) const noexcept {
      return boost::endian::load_little_u64(
          reinterpret_cast<const unsigned char*>(text_.data() + at));
    }
    // The bytes from at_ on, fewer than a word. May read the bytes around them, and masks those
    // out.
    [[nodiscard]] std::uint64_t rest(std::size_t size) const noexcept {
      if (text_.size() >= word) {
        const auto beyond = at_ + word - std::min(at_ + word, text_.size());
        // For a size of 0, the shift by a whole word becomes a shift by 0, and the mask removes all
        // bits.
        return load(at_ - beyond) >> (8 * beyond & 63) & ((std::uint64_t{1} << 8 * size) - 1);
      }
      return short_rest(size);
    }
    // For texts shorter than a word. A byte that is read twice goes to the same place both times.
    [[nodiscard]] std::uint64_t short_rest(std::size_t size) const noexcept {
      const auto* const bytes = reinterpret_cast<const unsigned char*>(text_.data());
      if (size >= 4) {
        return boost::endian::load_little_u32(bytes) |
               std::uint64_t{boost::endian::load_little_u32(bytes + size - 4)} << 8 * (size - 4);
      }
      return size == 0 ? 0
                       : bytes[0] | std::uint64_t{bytes[size / 2]} << 8 * (size / 2) |
                             std::uint64_t{bytes[size - 1]} << 8 * (size - 1);
    }

    const keyed_hash* key_;
    std::string_view text_;
    std::uint64_t state_;
    std::size_t at_ = 0;  // a multiple of the word size
  };

  [[nodiscard]] std::uint64_t operator()(std::string_view text) const noexcept {
    return walk{*this, text}.to(text.size());
  }
  [[nodiscard]] std::uint64_t operator()(std::uint64_t number) const noexcept {
    return fold(number ^ start_, step_);
  }

private:
  static constexpr std::size_t word = sizeof(std::uint64_t);
  __extension__ using wide = unsigned __int128;

  // Every bit of a product depends on bits of both factors, but neither half depends on all of
  // them.
  [[nodiscard]] static std::uint64_t fold(std::uint64_t a, std::uint64_t b) noexcept {
    const auto product = static_cast<wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
  // Returns the next number that the seed generates.
  [[nodiscard]] static std::uint64_t expand(std::uint64_t& seed) noexcept {
    seed += 0x9e37'79b9'7f4a'7c15;
    auto bits = seed;
    bits = (bits ^ bits >> 30) * 0xbf58'476d'1ce4'e5b9;
    bits = (bits ^ bits >> 27) * 0x94d0'49bb'1331'11eb;
    return bits ^ bits >> 31;
  }

  std::uint64_t start_;
  std::uint64_t step_;
  std::uint64_t end_;
};

}  // namespace zmtp
