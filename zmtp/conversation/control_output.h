#pragma once
// The local bytes that are not messages of the send queue: greeting, handshake and commands. Pure.

#include "zmtp/buffer/subscription_changes.h"
#include "zmtp/message.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace zmtp {

// Encoded bytes are written in order, between messages. Commands that a peer or the user can cause
// repeatedly are not encoded before the bytes in front of them are written. Until then only the
// newest PONG counts, and subscription changes are merged. So a peer that does not read cannot make
// this object grow.
class control_output {
public:
  using piece = std::span<const std::byte>;

  // Commands of the handshake are appended here, as whole frames.
  [[nodiscard]] std::string& bytes() noexcept { return bytes_; }
  void greet(const message& m);
  void pong(std::string_view context) {
    pong_context_ = context;
    pong_due_ = true;
  }
  void ping() noexcept { ping_due_ = true; }
  void change(bool subscribe, std::string_view topic) { changes_.add(subscribe, topic); }

  // Encodes the commands that are due, if all earlier bytes are written. `ttl` is for PING. The
  // form of a subscription depends on the minor version of the peer.
  void fill(std::uint16_t ttl, std::uint8_t peer_minor);
  // Returns whether encoded bytes are not written yet.
  [[nodiscard]] bool pending() const noexcept { return written_ < bytes_.size(); }
  // Returns whether commands are not encoded yet.
  [[nodiscard]] bool due() const noexcept { return pong_due_ || ping_due_ || !changes_.empty(); }
  // Returns whether subscription changes are not encoded yet. Later messages must not overtake
  // them.
  [[nodiscard]] bool changes_due() const noexcept { return !changes_.empty(); }
  [[nodiscard]] piece front() const noexcept {
    return std::as_bytes(std::span{bytes_}).subspan(written_);
  }
  // Call when `count` bytes were written, of front() and of the messages after it. Returns the
  // number that belongs to the messages.
  [[nodiscard]] std::size_t advance(std::size_t count) noexcept;

  // Drops the encoded bytes.
  void drop_pending() noexcept;
  // Drops the commands that are not encoded yet.
  void drop_due() noexcept;

private:
  std::string bytes_;
  std::size_t written_ = 0;
  bool pong_due_ = false;
  bool ping_due_ = false;
  std::string pong_context_;
  subscription_changes changes_;
};

}  // namespace zmtp
