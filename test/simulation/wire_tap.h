#pragma once
// Parses the output of one end of a connection with a parser of its own: the complete messages, and
// the byte at which each ended.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp::simulation {

class wire_tap {
public:
  // Gets each message, and the number of bytes at its end.
  using listener = std::function<void(std::span<const std::string_view>, std::size_t)>;

  void hear(std::span<const std::byte> bytes, const listener& on_message);
  // Returns whether the stream is not ZMTP: a frame with unknown flags, or a command between the
  // parts of a message.
  [[nodiscard]] bool garbled() const noexcept { return garbled_; }

private:
  struct frame {
    std::size_t begin;  // offset of its body
    std::size_t size;
  };

  // Returns false if the bytes contain no further complete frame.
  [[nodiscard]] bool take_frame(const listener& on_message);

  std::string received_;  // from the first part of a message that is not complete
  std::size_t at_ = 0;
  std::size_t dropped_ = 0;  // bytes before heard_
  std::vector<frame> parts_;
  bool greeted_ = false;
  bool garbled_ = false;
};

}  // namespace zmtp::simulation
