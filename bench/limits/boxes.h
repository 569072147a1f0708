#pragma once
// The least that CURVE needs for a message: one box of libsodium, with a counted nonce.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bench::limits {

// Records of one size, as many as fit into a buffer of 1 MiB, and at least one.
class box_sealer {
public:
  explicit box_sealer(std::size_t body_size);

  // Returns the boxes of the next messages, at most `left` of them.
  std::span<const std::byte> seal(std::uint64_t left);
  // Messages in the last result.
  [[nodiscard]] std::uint64_t sealed() const { return sealed_; }

private:
  std::vector<std::byte> body_;
  std::vector<std::byte> buffer_;
  std::uint64_t sealed_ = 0;
  std::uint64_t nonce_ = 0;
};

class box_opener {
public:
  explicit box_opener(std::size_t body_size);

  // Where to read to. Then received() opens the boxes that are complete, and returns their number.
  std::span<std::byte> room() { return std::span{buffer_}.subspan(kept_); }
  // Ends the program if a box does not open.
  std::uint64_t received(std::size_t bytes);

private:
  std::size_t box_size_;
  std::vector<std::byte> body_;
  std::vector<std::byte> buffer_;
  std::size_t kept_ = 0;  // bytes at the front: a box that is not complete
  std::uint64_t nonce_ = 0;
};

}  // namespace bench::limits
