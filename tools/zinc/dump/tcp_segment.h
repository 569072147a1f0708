#pragma once
// The TCP segment in a captured packet. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zinc::dump {

struct tcp_segment {
  std::string from;  // 127.0.0.1:40312 or [::1]:40312
  std::string to;
  std::uint16_t from_port = 0;
  std::uint16_t to_port = 0;
  std::uint32_t number = 0;  // number of the first byte
  std::uint32_t acknowledged = 0;
  bool syn = false;
  bool ack = false;
  bool fin = false;
  bool rst = false;
  std::string_view bytes{};  // a view into the packet, which may end early
  std::uint32_t size = 0;    // sent bytes, which can be more than were captured
};

// `link` is a LINKTYPE_: Ethernet, Linux cooked (SLL and SLL2), loopback of BSD, or raw IP. Returns
// nothing for packets that are not TCP over IP, are fragments, or are cut inside their headers.
[[nodiscard]] std::optional<tcp_segment> segment_of(std::uint32_t link, std::string_view bytes);
[[nodiscard]] bool is_known_link(std::uint32_t link) noexcept;

}  // namespace zinc::dump
