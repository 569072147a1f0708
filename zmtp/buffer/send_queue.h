#pragma once
// What waits to be written to one peer, already framed: independent of the connection that will
// take it, so that it survives the connection.

#include "zmtp/buffer/block.h"
#include "zmtp/message.h"
#include "zmtp/options.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace zmtp {

// Small messages are copied one behind the other into chunks of up to 64 KiB; a message with a
// large slice is an entry of its own and is written from where it lies. Marks are released entry by
// entry as the kernel takes them.
class send_queue {
public:
  using piece = std::span<const std::byte>;
  // Whole messages, framed one behind the other.
  struct chunk {
    block_ptr memory;
    std::uint32_t size = 0;
    std::uint32_t messages = 0;
    bool shared = false;  // with other queues: nothing may be put behind it
  };
  using entry = std::variant<chunk, message>;

  explicit send_queue(const high_water_mark& mark) noexcept : mark_{mark} {}

  [[nodiscard]] bool full() const noexcept {
    return (mark_.messages && messages_ >= *mark_.messages) ||
           (mark_.octets && octets_ >= *mark_.octets);
  }
  // Nothing is left to write.
  [[nodiscard]] bool empty() const noexcept { return first_ == entries_.size(); }
  // Messages and octets not yet released.
  [[nodiscard]] std::size_t messages() const noexcept { return messages_; }
  [[nodiscard]] std::size_t octets() const noexcept { return octets_; }

  // How many more messages, and octets, until a mark is reached.
  [[nodiscard]] std::size_t room_for_messages() const noexcept {
    return room(mark_.messages, messages_);
  }
  [[nodiscard]] std::size_t room_for_octets() const noexcept { return room(mark_.octets, octets_); }

  // Frames `m` into the queue. Whether it is full is for the caller to ask before.
  void push(message&& m);
  // The same for whole messages that are framed already, the first `size` octets of `memory`. Many
  // are shared with other queues, few are copied; nobody writes those octets afterwards.
  void push_framed(const block_ptr& memory, std::size_t size, std::size_t messages);

  // Fills `to` from the start with what is to be written next, in order; returns how many pieces.
  [[nodiscard]] std::size_t gather(std::span<piece> to) const noexcept;
  // The same, but no further than the entry that is partly written: behind it a command may go.
  [[nodiscard]] std::size_t gather_begun(std::span<piece> to) const noexcept;
  // No entry is partly written, so that a command may go before what is left.
  [[nodiscard]] bool at_boundary() const noexcept { return written_ == start_; }
  // The kernel has taken `count` octets.
  void advance(std::size_t count) noexcept;

  // For a peer in this process, which takes what is queued as it is: appends all of it to `to`. It
  // counts until it is released.
  void hand_over(std::vector<entry>& to);
  // So much of what was handed over counts no longer.
  void release(std::size_t messages, std::size_t octets) noexcept {
    messages_ -= messages;
    octets_ -= octets;
  }

  // The connection is gone: the next one starts with the first message that was not wholly taken,
  // and messages() counts those that are left.
  void rewind() noexcept;
  // Drops all but an entry that is partly written, behind which what comes next begins another; returns
  // how many messages went.
  std::size_t drop_unbegun() noexcept;
  // The turn is over: what came in it and is still here shall not pin a read buffer.
  void settle();
  void clear() noexcept;

private:
  [[nodiscard]] static std::size_t room(const std::optional<std::size_t>& mark,
                                        std::size_t taken) noexcept {
    return !mark ? static_cast<std::size_t>(-1) : *mark - std::min(*mark, taken);
  }
  [[nodiscard]] static std::size_t size_of(const entry& e) noexcept;
  [[nodiscard]] static std::size_t gather(const entry& e, std::size_t skip,
                                          std::span<piece> to) noexcept;
  [[nodiscard]] chunk& chunk_for(std::size_t octets);
  void add_chunk(std::size_t octets);
  void drop_first() noexcept;

  high_water_mark mark_;
  std::vector<entry> entries_;  // those before first_ are done
  std::size_t room_ = 0;        // in the last, if it is a chunk that may grow
  std::size_t first_ = 0;
  std::size_t settled_ = 0;  // entries before it are not of this turn
  std::size_t written_ = 0;  // octets of the first entry that are done with
  std::size_t start_ = 0;    // … and how many of them before this connection
  // Counted together, by one store: across two cache lines, it would be waited for at the next look.
  alignas(2 * sizeof(std::size_t)) std::size_t messages_ = 0;
  std::size_t octets_ = 0;
};

}  // namespace zmtp
