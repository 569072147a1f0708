#pragma once
// Bytes written readably, and what a hostile peer makes of them.

#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace zmtp::test {

// "04 19 05 'READY' 0b": hexadecimal bytes and quoted text. "00*8" is eight times the byte.
inline std::string bytes(std::string_view text) {
  const auto nibble = [](char c) {
    constexpr std::string_view digits = "0123456789abcdef";
    const auto value = digits.find(c);
    if (value == std::string_view::npos) {
      throw std::invalid_argument{"bytes: not a hexadecimal digit"};
    }
    return static_cast<unsigned>(value);
  };
  std::string read;
  while (!text.empty()) {
    if (text.front() == ' ') {
      text.remove_prefix(1);
    } else if (text.front() == '\'') {
      const auto end = text.find('\'', 1);
      read.append(text.substr(1, end - 1));
      text.remove_prefix(end + 1);
    } else {
      const auto byte = static_cast<char>(nibble(text.at(0)) << 4 | nibble(text.at(1)));
      text.remove_prefix(2);
      std::size_t times = 1;
      if (text.starts_with('*')) {
        std::size_t digits = 0;
        times = std::stoul(std::string{text.substr(1)}, &digits);
        text.remove_prefix(1 + digits);
      }
      read.append(times, byte);
    }
  }
  return read;
}

// Hands over the bytes in memory of exactly their size, where a sanitizer sees each byte read
// beyond them.
inline void in_exact_memory(std::string_view text,
                            const std::function<void(std::string_view)>& use) {
  const std::unique_ptr<char[]> copy{new char[text.size()]};
  text.copy(copy.get(), text.size());
  use({copy.get(), text.size()});
}

inline void for_each_truncation(std::string_view whole,
                                const std::function<void(std::string_view)>& use) {
  for (std::size_t size = 0; size < whole.size(); ++size) {
    in_exact_memory(whole.substr(0, size), use);
  }
}

// Every text that differs from this one in one byte.
inline void for_each_changed_byte(std::string_view whole,
                                  const std::function<void(std::string_view)>& use) {
  std::string changed{whole};
  for (auto& byte : changed) {
    const auto original = byte;
    for (int other = 0; other < 256; ++other) {
      byte = static_cast<char>(other);
      if (byte != original) {
        in_exact_memory(changed, use);
      }
    }
    byte = original;
  }
}

}  // namespace zmtp::test
