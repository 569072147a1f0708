#pragma once
// Messages from one peer that the user has not received yet.

#include "zmtp/buffer/block.h"
#include "zmtp/buffer/memory_account.h"
#include "zmtp/buffer/queue_entry.h"
#include "zmtp/frame.h"
#include "zmtp/message.h"
#include "zmtp/options.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <variant>

namespace zmtp {

// A ring of runs of messages with high-water marks. A run is a slice of the read buffer, with all
// messages of one read, so that most messages need no object of their own. The memory of the ring
// grows with the queued runs. It is freed when the queue is empty at the end of a turn.
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
  // Returns the number of messages and bytes at which the queue becomes full. Call if not full().
  [[nodiscard]] frame::cut room() const noexcept {
    const auto most = std::min(mark_.bytes.value_or(memory_account::unlimited), quota());
    return {.bytes = most - bytes_,
            .messages = mark_.messages.value_or(static_cast<std::size_t>(-1)) - size_};
  }
  void set_marks(const high_water_mark& mark) noexcept { mark_ = mark; }
  // Returns whether the queue is at most half full by every limit. Decoding that had stopped
  // resumes then.
  [[nodiscard]] bool half_empty() const noexcept {
    return (!mark_.messages || size_ <= *mark_.messages / 2) &&
           (!mark_.bytes || bytes_ <= *mark_.bytes / 2) && bytes_ <= quota() / 2;
  }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  // Returns the number of messages.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  // Returns the bytes that count for the mark: the messages as framed, and the object of a message
  // that is not in a run.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  // See memory_account.
  [[nodiscard]] std::size_t quota() const noexcept {
    return account_ != nullptr ? account_->quota() : memory_account::unlimited;
  }

  // Appends messages that are already framed. The bytes must not change afterwards.
  void push(message_run&& run) {
    run.shared = true;
    append(std::move(run));
  }
  void push(message&& m);

  // Returns whether pop() would return a message without parts. The queue must not be empty.
  [[nodiscard]] bool mark_at_front() const noexcept {
    const auto* const m = std::get_if<message>(slot(0));
    return m != nullptr && m->empty();
  }
  // Returns the first entry. The queue must not be empty.
  [[nodiscard]] const queue_entry& front() const noexcept { return *slot(0); }
  // Returns the number of messages that take() can take at once. The queue must not be empty.
  [[nodiscard]] std::size_t front_messages() const noexcept { return messages_of(*slot(0)); }
  // Takes the first message. The queue must not be empty.
  void pop(message& to) noexcept {
    auto* const first = slot(0);
    if (auto* const run = std::get_if<message_run>(first); run != nullptr) {
      const auto [bytes, parts] = frame::message_at(run->data);
      std::destroy_at(&to);
      new (&to) message{run->memory, {run->data, bytes}, parts};
      drop_front(*run, {.bytes = bytes, .messages = 1});
    } else {
      auto& m = *std::get_if<message>(first);
      subtract(charge_of(m), 1);
      end_charge();
      to = std::move(m);
      drop_first();
    }
  }
  [[nodiscard]] message pop() noexcept {
    message m;
    pop(m);
    return m;
  }
  // Takes the first messages as they are stored, at most `most`. The queue must not be empty.
  [[nodiscard]] queue_entry take(std::size_t most) noexcept;

  void clear() noexcept;

  // Call at the end of a turn. Compacts the messages of this turn, so that they do not pin the read
  // buffer.
  void compact();

private:
  // Bytes that count for the mark.
  [[nodiscard]] static std::size_t charge_of(const queue_entry& e) noexcept {
    const auto* const run = std::get_if<message_run>(&e);
    return run != nullptr ? run->size : charge_of(*std::get_if<message>(&e));
  }
  [[nodiscard]] static std::size_t charge_of(const message& m) noexcept {
    return sizeof(message) + m.tail().size();
  }
  void add(std::size_t bytes, std::size_t messages) noexcept {
    bytes_ += bytes;
    size_ += messages;
    if (account_ != nullptr) {
      account_->add(bytes);
    }
  }
  // Counts messages of the first entry as taken. The account counts an older entry as a whole.
  void subtract(std::size_t bytes, std::size_t messages) noexcept {
    bytes_ -= bytes;
    size_ -= messages;
    if (account_ != nullptr && compacted_ == 0) {
      account_->subtract(bytes);
    }
  }
  void drop_front(message_run& run, frame::cut first) noexcept {
    subtract(first.bytes, first.messages);
    if (run.messages == first.messages) {
      end_charge();
      drop_first();
      return;
    }
    run.drop_front(first);
    if (compacted_ != 0 && run.size < run.memory->capacity() / 4) [[unlikely]] {
      shrink_first();
    }
  }
  // Call before the first entry is taken.
  void end_charge() noexcept {
    if (compacted_ != 0) {
      (void)discharge(*slot(0), account_);
    }
  }
  void drop_first() noexcept {
    compacted_ -= compacted_ != 0 ? 1U : 0U;
    std::destroy_at(slot(0));
    first_ = (first_ + 1) & (capacity_ - 1);
    --entries_;
  }
  [[nodiscard]] queue_entry* slot(std::size_t index) const noexcept {
    return reinterpret_cast<queue_entry*>(ring_->data()) + ((first_ + index) & (capacity_ - 1));
  }
  template <class Content>
  void append(Content&& content) {
    if (entries_ == capacity_) {
      grow();
    }
    const auto& e = *new (slot(entries_)) queue_entry{std::forward<Content>(content)};
    ++entries_;
    peak_ = std::max(peak_, entries_);
    add(charge_of(e), messages_of(e));
  }
  void grow();
  void shrink_first() noexcept;
  void copy_out(message_run& run) const;
  [[nodiscard]] bool merged(std::size_t before, const message_run& run) noexcept;

  high_water_mark mark_;
  memory_account* account_;
  block_ptr ring_;
  std::size_t capacity_ = 0;  // a power of two, or 0
  // maximum of entries_ since the ring was allocated; without a ring, of the previous ring
  std::size_t peak_ = 0;
  std::size_t first_ = 0;
  std::size_t entries_ = 0;
  std::size_t compacted_ = 0;  // entries at the front that are older than this turn
  std::size_t size_ = 0;       // messages
  std::size_t bytes_ = 0;
};

}  // namespace zmtp
