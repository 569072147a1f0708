#pragma once
// What waits to be written to one peer, already framed: independent of the connection that will
// take it, so that it survives the connection.

#include "zmtp/buffer/block.h"
#include "zmtp/buffer/cache_line.h"
#include "zmtp/buffer/queue_account.h"
#include "zmtp/message.h"
#include "zmtp/options.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace zmtp {

// Small messages are copied one behind the other into chunks of 4 to 64 KiB, each as large as what
// waits already; a message with a large slice is an entry of its own and is written from where it lies.
// Marks are released entry by entry as the kernel takes them.
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

  // Without an account it is nobody's.
  explicit send_queue(const high_water_mark& mark, queue_account* account = nullptr) noexcept
      : most_messages_{mark.messages.value_or(no_mark)},
        most_octets_{mark.octets.value_or(no_mark)},
        account_{account} {}
  send_queue(const send_queue&) = delete;
  send_queue& operator=(const send_queue&) = delete;
  ~send_queue() { clear(); }

  // At a mark, or at what the account allows.
  [[nodiscard]] bool full() const noexcept { return at_mark() || over_allowance(); }
  [[nodiscard]] bool at_mark() const noexcept {
    return messages_ >= most_messages_ || octets_ >= most_octets_;
  }
  [[nodiscard]] bool over_allowance() const noexcept {
    return account_ != nullptr && octets_ >= account_->allowance();
  }
  // Nothing is left to write.
  [[nodiscard]] bool empty() const noexcept { return first_ == entries_.size(); }
  // Messages and octets not yet released.
  [[nodiscard]] std::size_t messages() const noexcept { return messages_; }
  [[nodiscard]] std::size_t octets() const noexcept { return octets_; }

  // How many more messages, and octets, until it is full.
  [[nodiscard]] std::size_t room_for_messages() const noexcept {
    return most_messages_ - std::min(most_messages_, messages_);
  }
  [[nodiscard]] std::size_t room_for_octets() const noexcept {
    const auto most =
        account_ == nullptr ? most_octets_ : std::min(most_octets_, account_->allowance());
    return most - std::min(most, octets_);
  }

  // Something will be pushed soon.
  void prefetch() const noexcept {
    if (room_ != 0) {
      __builtin_prefetch(tail_, 1);
      __builtin_prefetch(tail_ + std::min(room_, cache_line), 1);
    }
  }

  // Frames `m` into the queue. Whether it is full is for the caller to ask before.
  void push(message&& m);
  // The same for whole messages that are framed already, the first `size` octets of `memory`. Many
  // are shared with other queues, few are copied; nobody writes those octets afterwards.
  void push_framed(const block_ptr& memory, std::size_t size, std::size_t messages);

  // Bytes of an entry as framed, and how many messages they are.
  [[nodiscard]] static std::size_t size_of(const entry& e) noexcept;
  [[nodiscard]] static std::size_t messages_of(const entry& e) noexcept;
  // Fills `to` from the start with what is to be written next, in order; returns how many pieces.
  [[nodiscard]] std::size_t gather(std::span<piece> to) noexcept;
  // The same, but no further than the entry that is partly written: behind it a command may go.
  [[nodiscard]] std::size_t gather_begun(std::span<piece> to) noexcept;
  // No entry is partly written, so that a command may go before what is left.
  [[nodiscard]] bool at_boundary() const noexcept { return written_ == start_; }
  // The kernel has taken `count` octets.
  void advance(std::size_t count) noexcept;

  // For a peer in this process, which takes what is queued as it is: appends all of it to `to`. It
  // counts until it is released.
  void hand_over(std::vector<entry>& to);
  // So much of what was handed over counts no longer.
  void release(std::size_t messages, std::size_t octets) noexcept;

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
  static constexpr std::size_t no_mark = static_cast<std::size_t>(-1);

  [[nodiscard]] static std::size_t gather(const entry& e, std::size_t skip,
                                          std::span<piece> to) noexcept;
  // What it takes of memory: whole blocks, each once.
  void charge(const entry& e) noexcept;
  // Whether it is in no other queue.
  bool discharge(const entry& e) noexcept;
  void discharge_all() noexcept;
  void push_entry(message&& m);
  void add_chunk(std::size_t octets);
  void note() noexcept;
  void close_chunk() noexcept;
  void drop_first() noexcept;

  // What a push needs is in one cache line, and in the memory that it fills; what was put there is noted
  // in its entry when somebody looks. With thousands of peers each line is waited for.
  //
  // Counted together, by one store: across two cache lines, it would be waited for at the next look.
  alignas(2 * sizeof(std::size_t)) std::size_t messages_ = 0;
  std::size_t octets_ = 0;
  std::size_t most_messages_;
  std::size_t most_octets_;
  std::byte* tail_ = nullptr;  // where messages go while the last entry is a chunk that may grow …
  std::size_t room_ = 0;       // … as far as that
  std::size_t unnoted_ = 0;    // messages
  queue_account* account_;

  std::size_t first_ = 0;
  std::vector<entry> entries_;  // those before first_ are done
  std::size_t settled_ = 0;     // entries before it are not of this turn
  std::size_t written_ = 0;     // octets of the first entry that are done with
  std::size_t start_ = 0;       // … and how many of them before this connection
  std::size_t away_ = 0;        // octets handed over that still count …
  std::size_t away_messages_ = 0;
  std::size_t away_counted_ = 0;  // … in the account too
};

}  // namespace zmtp
