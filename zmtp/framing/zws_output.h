#pragma once
// ZWS 2.0 (RFC 45), from ZMTP to the wire: a stream of ZMTP frames becomes WebSocket frames. Pure.

#include "zmtp/frame.h"
#include "zmtp/framing/websocket_frame.h"
#include "zmtp/options.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp {

// The other direction of zws_input. The greeting of the local side must not come here.
class zws_output {
public:
  struct progress {
    std::size_t used = 0;  // bytes of `from`
    std::size_t made = 0;  // bytes written to `to`
  };

  // Without a mechanism, READY becomes the first message, which is the own routing id, and the
  // other commands are dropped. `random` makes the keys of masks (RFC 6455 section 5.3).
  zws_output(websocket::side own, bool mechanism, random_bytes random);

  // Translates until `from` is used or `to` is full.
  [[nodiscard]] progress write(std::span<const std::byte> from, std::span<std::byte> to);
  // Answers a ping, with the frame after the one in progress. Only the newest answer counts.
  void pong(std::string payload) { pong_ = std::move(payload); }
  // Sends a Close with this status (RFC 6455 section 7.4). It must be the last frame.
  void close(std::uint16_t status);
  // Returns whether write() can make bytes without further bytes of the caller.
  [[nodiscard]] bool ready() const noexcept {
    return !made_.empty() || (at_boundary() && (pong_ || close_));
  }

private:
  enum class state : std::uint8_t { header, ready, dropped, body };

  [[nodiscard]] bool at_boundary() const noexcept {
    return state_ == state::header && header_size_ == 0;
  }
  void on_header();
  void on_ready();
  void put_control();
  void begin(websocket::opcode code, std::uint64_t payload);
  void append(std::span<const std::byte> payload);
  [[nodiscard]] websocket::mask_key draw();

  // Each draw is a system call: with 16 keys at once it took a quarter of a sender's time.
  static constexpr std::size_t keys_at_once = 64;

  websocket::side own_;
  bool mechanism_;
  bool routing_id_sent_ = false;
  state state_ = state::header;
  std::array<std::byte, frame::max_header_size> header_{};  // the header of the ZMTP frame
  std::size_t header_size_ = 0;
  std::uint64_t left_ = 0;  // bytes of its body
  websocket::mask_key key_{};
  std::uint64_t offset_ = 0;  // in the payload of the WebSocket frame
  std::string made_;          // bytes that wait for space
  std::string command_;       // READY
  std::optional<std::string> pong_;
  std::optional<std::string> close_;
  random_bytes random_;
  std::vector<websocket::mask_key> keys_;  // empty until the first frame of a client
};

}  // namespace zmtp
