#pragma once
// Parses the output of one end of a connection with a parser of its own: the complete messages and
// commands, and the byte at which each ended.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp::simulation {

class wire_tap {
public:
  struct listener {
    virtual ~listener() = default;
    // `end`: the number of bytes at the end of the message or the command.
    virtual void on_message(std::span<const std::string_view> parts, std::size_t end) = 0;
    virtual void on_command(std::string_view body, std::size_t end) = 0;
  };

  void hear(std::span<const std::byte> bytes, listener& to);
  // Returns whether the stream is not ZMTP: a frame with unknown flags, or a command between the
  // parts of a message.
  [[nodiscard]] bool garbled() const noexcept { return garbled_; }

private:
  struct frame {
    std::size_t begin;  // offset of its body
    std::size_t size;
  };

  // Returns false if the bytes contain no further complete frame.
  [[nodiscard]] bool take_frame(listener& to);

  std::string received_;  // from the first part of a message that is not complete
  std::size_t at_ = 0;
  std::size_t dropped_ = 0;  // bytes before received_
  std::vector<frame> parts_;
  bool greeted_ = false;
  bool garbled_ = false;
};

}  // namespace zmtp::simulation
