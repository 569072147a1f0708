#pragma once
// Framed messages that wait to be written to one peer. The queue is independent of a connection, so
// that it survives a reconnect.

#include "zmtp/buffer/block.h"
#include "zmtp/buffer/memory_account.h"
#include "zmtp/buffer/queue_entry.h"
#include "zmtp/message.h"
#include "zmtp/options.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace zmtp {

// The queue copies small messages into chunks of 4 to 64 KiB. A new chunk is about as large as the
// queued bytes. A message with a large slice is an entry of its own, and its slice is written
// without a copy. The queue releases its marks entry by entry as the kernel takes the bytes.
class send_queue {
public:
  using piece = std::span<const std::byte>;

  // Without an account, the queue counts only for its own marks.
  explicit send_queue(const high_water_mark& mark, memory_account* account = nullptr) noexcept
      : most_messages_{mark.messages.value_or(no_mark)},
        most_bytes_{mark.bytes.value_or(no_mark)},
        account_{account} {}
  send_queue(const send_queue&) = delete;
  send_queue& operator=(const send_queue&) = delete;
  ~send_queue() { clear(); }

  // Returns whether the queue is at a mark or at the quota of its account.
  [[nodiscard]] bool full() const noexcept { return at_mark() || over_quota(); }
  [[nodiscard]] bool at_mark() const noexcept {
    return messages_ >= most_messages_ || bytes_ >= most_bytes_;
  }
  [[nodiscard]] bool over_quota() const noexcept {
    return account_ != nullptr && bytes_ >= account_->quota();
  }
  // Returns whether nothing is left to write.
  [[nodiscard]] bool empty() const noexcept { return first_ == entries_.size(); }
  // Messages and bytes that are not released yet.
  [[nodiscard]] std::size_t messages() const noexcept { return messages_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  // How many messages and bytes the queue still accepts.
  [[nodiscard]] std::size_t room_for_messages() const noexcept {
    return most_messages_ - std::min(most_messages_, messages_);
  }
  [[nodiscard]] std::size_t room_for_bytes() const noexcept {
    const auto most = account_ == nullptr ? most_bytes_ : std::min(most_bytes_, account_->quota());
    return most - std::min(most, bytes_);
  }

  // Call shortly before a push.
  void prefetch() const noexcept {
    if (room_ != 0) {
      __builtin_prefetch(tail_, 1);
      __builtin_prefetch(tail_ + std::min(room_, cache_line), 1);
    }
  }

  // Makes space for one entry. The next push() then cannot throw.
  void reserve() {
    if (entries_.size() == entries_.capacity()) {
      entries_.reserve(2 * entries_.size() + 1);
    }
  }
  // Frames `m` into the queue. The caller must check full() first.
  void push(message&& m);
  // Appends whole messages that are already framed. Shares the block of a large run and copies a
  // small run. The bytes must not change afterwards.
  void push(const message_run& run);
  // Copies whole messages that are already framed, at most message::large_slice bytes. May throw
  // also after reserve().
  void push_copy(const std::byte* data, frame::cut messages);

  // Fills `to` with the pieces to write next, in order, without those that are lent. Returns their
  // number.
  [[nodiscard]] std::size_t gather(std::span<piece> to) noexcept;
  // Like gather(), but only up to the end of the entry that is partly written. A command may follow
  // there.
  [[nodiscard]] std::size_t gather_begun(std::span<piece> to) noexcept;
  // Returns whether no entry is partly written, so that a command may be written next.
  [[nodiscard]] bool at_boundary() const noexcept { return written_ == start_; }
  // Lends whole messages, the next `count` bytes of gather(), to a framing. They stay in the queue,
  // and drop_unbegun() keeps them, until advance() or rewind().
  void lend(std::size_t count) noexcept { lent_ += count; }
  // Call when the kernel has taken `count` bytes, lent ones before others.
  void advance(std::size_t count) noexcept;

  // For a peer in the same process, which takes the entries themselves. Appends all entries to
  // `to`. They count until release().
  void hand_over(std::vector<queue_entry>& to);
  // Stops counting this part of the entries that were handed over.
  void release(std::size_t messages, std::size_t bytes) noexcept;

  // Call when the connection has ended. The next connection starts with the first message that the
  // kernel has not taken whole. messages() then counts the messages that are left.
  void rewind() noexcept;
  // Drops all entries except those that are partly written or lent. Later messages start a new
  // entry. Returns the number of dropped messages.
  std::size_t drop_unbegun() noexcept;
  // Call at the end of a turn. Compacts the entries of this turn, so that they do not pin a read
  // buffer.
  void compact();
  void clear() noexcept;

private:
  static constexpr std::size_t no_mark = static_cast<std::size_t>(-1);

  void discharge_all() noexcept;
  void push_entry(message&& m);
  void push_entry(const message_run& run);
  [[nodiscard]] bool add_chunk(std::size_t bytes);
  void note() noexcept;
  void close_chunk() noexcept;
  void drop_first() noexcept;

  // A push touches one cache line of this object and the memory that it fills. The entry is updated
  // on the next access. With thousands of peers, each touched line is a cache miss.
  //
  // Both counters change with one store. Across two cache lines, the next read would have to wait
  // for that store.
  alignas(2 * sizeof(std::size_t)) std::size_t messages_ = 0;
  std::size_t bytes_ = 0;
  std::size_t most_messages_;
  std::size_t most_bytes_;
  // where the next message goes, if the last entry is a chunk that may grow …
  std::byte* tail_ = nullptr;
  std::size_t room_ = 0;     // … and bytes that are free there
  std::size_t unnoted_ = 0;  // messages that the chunk does not count yet
  memory_account* account_;

  std::size_t first_ = 0;
  std::vector<queue_entry> entries_;  // entries before first_ are written
  std::size_t compacted_ = 0;         // entries before this index are older than this turn
  std::size_t written_ = 0;           // bytes of the first entry that are written
  std::size_t start_ = 0;             // … of which this many before this connection
  std::size_t lent_ = 0;              // bytes after the written ones
  std::size_t away_ = 0;              // bytes handed over and not released …
  std::size_t away_messages_ = 0;
  std::size_t away_counted_ = 0;  // … of which the account counts this many
};

}  // namespace zmtp
