#pragma once
// ZWS 2.0 (RFC 45), from the wire to ZMTP: WebSocket frames become a stream of ZMTP frames. Pure.

#include "zmtp/error.h"
#include "zmtp/framing/websocket_frame.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace zmtp {

// Each binary message of WebSocket is one ZMTP frame: a byte of flags, then the body. So the whole
// conversation of a connection, with its mechanism and its limits, is that of ZMTP 3.0.
//
// ZWS has no greeting, so this object makes that of the peer. Without a mechanism (sub-protocol
// ZWS2.0), the first message is the routing id of the peer. It becomes the READY of NULL.
//
// Bodies pass through without being collected, so a long frame needs no memory here. But the header
// of a ZMTP frame has its size, so a message in fragments is collected. Browsers send messages of
// more than about 100 KiB in fragments.
class zws_input {
public:
  struct progress {
    std::size_t used = 0;  // bytes of `from`
    std::size_t made = 0;  // bytes written to `to`
    error_code fault{};    // the connection must end; everything before was valid
  };

  // Bytes of a message. A peer that is not admitted yet may not use much memory.
  static constexpr std::size_t max_fragmented = 1024 * 1024;
  static constexpr std::size_t max_fragmented_in_handshake = 4 * 1024;

  // `mechanism` is the name for the greeting, or empty for the sub-protocol without a mechanism.
  zws_input(websocket::side own, std::string_view mechanism);

  // Translates until `from` is used or `to` is full.
  // Faults: errc::bad_websocket_frame, routing_id_too_long.
  [[nodiscard]] progress read(std::span<const std::byte> from, std::span<std::byte> to);
  // Returns whether read() can make bytes without further bytes of the peer.
  [[nodiscard]] bool ready() const noexcept { return !made_.empty() || state_ == state::whole; }
  // Returns the memory of a message in fragments.
  [[nodiscard]] std::size_t held() const noexcept { return fragments_.capacity(); }
  // Returns the payload of the last ping, once.
  [[nodiscard]] std::optional<std::string> take_ping() noexcept {
    return std::exchange(ping_, std::nullopt);
  }
  // Returns whether the peer has sent a Close. Later bytes are dropped.
  [[nodiscard]] bool closed() const noexcept { return state_ == state::closed; }

private:
  enum class state : std::uint8_t {
    header,
    control,
    fragment,
    whole,
    flags,
    routing_id,
    body,
    closed
  };

  [[nodiscard]] error_code on_header();
  [[nodiscard]] error_code on_flags(std::byte flags);
  [[nodiscard]] error_code on_fragment();
  void drop_fragments() noexcept;
  void collect(std::string& to, std::span<const std::byte> payload) const;
  void on_collected();

  websocket::header_reader header_;
  state state_ = state::header;
  bool expects_routing_id_;
  unsigned handshake_left_;  // messages
  std::uint64_t left_ = 0;   // bytes of the payload, or of the whole message
  std::string made_;         // bytes that wait for space
  std::string collected_;    // a control frame or a routing id
  bool in_fragments_ = false;
  std::string fragments_;  // the payloads of a message so far, with its flags
  std::optional<std::string> ping_;
};

}  // namespace zmtp
