#pragma once
// Bytes that are overwritten before their memory is freed: keys.

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace zmtp {

// Overwrites the bytes, also if the compiler finds that nothing reads them again.
void wipe(std::span<std::byte> bytes) noexcept;
// Compares in a time that depends only on the sizes.
[[nodiscard]] bool equal_secrets(std::span<const std::byte> a,
                                 std::span<const std::byte> b) noexcept;

template <std::size_t Size>
class secret_bytes {
public:
  static constexpr std::size_t size = Size;

  secret_bytes() = default;
  explicit secret_bytes(std::span<const std::byte, Size> from) noexcept {
    std::copy(from.begin(), from.end(), bytes_.begin());
  }
  secret_bytes(const secret_bytes&) = default;
  secret_bytes& operator=(const secret_bytes&) = default;
  ~secret_bytes() { wipe(bytes_); }

  [[nodiscard]] std::span<std::byte, Size> bytes() noexcept { return bytes_; }
  [[nodiscard]] std::span<const std::byte, Size> bytes() const noexcept { return bytes_; }

private:
  std::array<std::byte, Size> bytes_{};
};

}  // namespace zmtp
