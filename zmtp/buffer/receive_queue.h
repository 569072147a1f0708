#pragma once
// Messages from one peer that the user has not received yet.

#include "zmtp/buffer/block.h"
#include "zmtp/buffer/memory_account.h"
#include "zmtp/message.h"
#include "zmtp/options.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace zmtp {

// A ring of messages with high-water marks. Its memory grows with the queued messages. It is freed
// when the queue is empty at the end of a turn.
class receive_queue {
public:
  // Without an account, the queue counts only for its own marks.
  explicit receive_queue(const high_water_mark& mark, memory_account* account = nullptr) noexcept
      : mark_{mark}, account_{account} {}
  receive_queue(const receive_queue&) = delete;
  receive_queue& operator=(const receive_queue&) = delete;
  ~receive_queue() { clear(); }

  // Returns whether the queue is at a mark or at the quota of its account.
  [[nodiscard]] bool full() const noexcept {
    return (mark_.messages && size_ >= *mark_.messages) ||
           (mark_.bytes && bytes_ >= *mark_.bytes) || bytes_ >= quota();
  }
  void set_marks(const high_water_mark& mark) noexcept { mark_ = mark; }
  // Returns whether the queue is at most half full by every limit. Decoding that had stopped
  // resumes then.
  [[nodiscard]] bool half_empty() const noexcept {
    return (!mark_.messages || size_ <= *mark_.messages / 2) &&
           (!mark_.bytes || bytes_ <= *mark_.bytes / 2) && bytes_ <= quota() / 2;
  }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  // Returns the bytes that count for the mark: the messages with the objects that hold them.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  // See memory_account.
  [[nodiscard]] std::size_t quota() const noexcept {
    return account_ != nullptr ? account_->quota() : memory_account::unlimited;
  }

  // Constructs a message in the queue.
  template <class... Args>
  void emplace(Args&&... args) {
    if (size_ == capacity_) {
      grow();
    }
    const auto bytes = charge(*new (slot(size_)) message{std::forward<Args>(args)...});
    bytes_ += bytes;
    if (account_ != nullptr) {
      account_->add(bytes);
    }
    ++size_;
    peak_ = std::max(peak_, size_);
  }
  void push(message&& m) { emplace(std::move(m)); }

  // Returns the message that pop() would take. The queue must not be empty.
  [[nodiscard]] const message& front() const noexcept { return *slot(0); }
  // The queue must not be empty.
  void pop(message& to) noexcept {
    auto* const first = slot(0);
    discharge(*first, compacted_ != 0);
    to = std::move(*first);
    std::destroy_at(first);
    first_ = (first_ + 1) & (capacity_ - 1);
    --size_;
    compacted_ -= compacted_ != 0 ? 1U : 0U;
  }
  [[nodiscard]] message pop() noexcept {
    message m;
    pop(m);
    return m;
  }

  void clear() noexcept;

  // Call at the end of a turn. Compacts the messages of this turn, so that they do not pin the read
  // buffer.
  void compact();

private:
  [[nodiscard]] static std::size_t charge(const message& m) noexcept {
    return sizeof(message) + m.tail().size();
  }
  void discharge(const message& m, bool compacted) noexcept {
    const auto bytes = charge(m);
    bytes_ -= bytes;
    if (account_ != nullptr) {
      compacted&& is_large(m) ? discharge_large(m) : account_->subtract(bytes);
    }
  }
  // For large messages that remain after a turn, the account counts whole blocks, each once.
  [[nodiscard]] static bool is_large(const message& m) noexcept {
    return m.tail().size() > message::large_slice;
  }
  void charge_large(const message& m) noexcept;
  void discharge_large(const message& m) noexcept;
  [[nodiscard]] message* slot(std::size_t index) const noexcept {
    return reinterpret_cast<message*>(ring_->data()) + ((first_ + index) & (capacity_ - 1));
  }
  void grow();

  high_water_mark mark_;
  memory_account* account_;
  block_ptr ring_;
  std::size_t capacity_ = 0;  // a power of two, or 0
  // maximum of size_ since the ring was allocated; without a ring, of the previous ring
  std::size_t peak_ = 0;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
  std::size_t compacted_ = 0;  // messages at the front that are older than this turn
  std::size_t bytes_ = 0;
};

}  // namespace zmtp
