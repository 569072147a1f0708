#include "zmtp/buffer/send_queue.h"

#include "zmtp/buffer/block.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <new>
#include <utility>

namespace zmtp {

namespace {

// Number of written entries, and of free entries in an empty queue, to keep.
constexpr std::size_t stored_entries = 64;
// Up to this number of bytes, copy_short() is faster than memcpy.
constexpr std::size_t short_copy = 128;

}  // namespace

void send_queue::discharge_all() noexcept {
  for (auto i = first_; i < entries_.size(); ++i) {
    (void)discharge(entries_[i], account_);
  }
}

void send_queue::push(message&& m) {
  const auto size = m.framed_size();
  if (m.tail().size() > message::large_slice || (size > room_ && !add_chunk(size))) {
    push_entry(std::move(m));
  } else {
    const auto head = m.head();
    copy_short(tail_, head.data(), head.size());
    if (const auto tail = m.tail(); !tail.empty()) {
      std::memcpy(tail_ + head.size(), tail.data(), tail.size());
    }
    tail_ += size;
    room_ -= size;
    ++unnoted_;
    m.clear();
  }
  ++messages_;
  bytes_ += size;
}

void send_queue::push_entry(message&& m) {
  close_chunk();
  charge(entries_.emplace_back(std::move(m)), account_);
}

void send_queue::push(const message_run& run) {
  if (run.size > message::large_slice || (run.size > room_ && !add_chunk(run.size))) {
    push_entry(run);
  } else {
    push_copy(run.data, {.bytes = run.size, .messages = run.messages});
  }
}

void send_queue::push_entry(const message_run& run) {
  close_chunk();
  auto& entry = entries_.emplace_back(run);
  std::get_if<message_run>(&entry)->shared = true;
  charge(entry, account_);
  messages_ += run.messages;
  bytes_ += run.size;
}

void send_queue::push_copy(const std::byte* data, frame::cut messages) {
  if (messages.bytes > room_ && !add_chunk(messages.bytes)) {
    throw std::bad_alloc{};
  }
  if (messages.bytes <= short_copy) {
    copy_short(tail_, data, messages.bytes);
  } else {
    std::memcpy(tail_, data, messages.bytes);
  }
  tail_ += messages.bytes;
  room_ -= messages.bytes;
  unnoted_ += messages.messages;
  messages_ += messages.messages;
  bytes_ += messages.bytes;
}

// Returns false if there is no memory for a chunk.
bool send_queue::add_chunk(std::size_t bytes) {
  // A peer that receives little needs a small chunk. This also applies to small messages between
  // large ones.
  const auto begins = empty() || std::holds_alternative<message>(entries_.back());
  const auto wanted = std::max(bytes, begins ? 0 : bytes_);
  const auto capacity = std::clamp(std::bit_ceil(wanted), block_size::small, block_size::large);
  reserve();
  block_ptr memory;
  try {
    memory = block_ptr{block::create(capacity)};
  } catch (const std::bad_alloc&) {
    return false;
  }
  close_chunk();
  auto* const data = memory->data();
  charge(entries_.emplace_back(message_run{.memory = std::move(memory), .data = data}), account_);
  tail_ = data;
  room_ = capacity;
  return true;
}

void send_queue::note() noexcept {
  if (unnoted_ != 0) {
    auto& last = *std::get_if<message_run>(&entries_.back());
    last.size = static_cast<std::size_t>(tail_ - last.data);
    last.messages += std::exchange(unnoted_, 0);
  }
}

// Nothing more may be appended to the last entry.
void send_queue::close_chunk() noexcept {
  note();
  room_ = 0;
}

std::size_t send_queue::gather(std::span<piece> to) noexcept {
  note();
  std::size_t pieces = 0;
  std::size_t skip = written_ + lent_;
  auto i = first_;
  if (lent_ != 0) {
    for (; i < entries_.size() && skip >= size_of(entries_[i]); ++i) {
      skip -= size_of(entries_[i]);
    }
  }
  for (; i < entries_.size() && pieces < to.size(); ++i) {
    pieces += pieces_of(entries_[i], skip, to.subspan(pieces));
    skip = 0;
  }
  return pieces;
}

std::size_t send_queue::gather_begun(std::span<piece> to) noexcept {
  note();
  return pieces_of(entries_[first_], written_, to);
}

void send_queue::advance(std::size_t count) noexcept {
  note();
  lent_ -= std::min(lent_, count);
  while (count != 0) {
    const auto rest = size_of(entries_[first_]) - written_;
    if (count < rest) {
      written_ += count;
      return;
    }
    count -= rest;
    drop_first();
  }
}

void send_queue::drop_first() noexcept {
  auto& done = entries_[first_];
  (void)discharge(done, account_);
  bytes_ -= size_of(done);
  written_ = 0;
  start_ = 0;
  if (auto* c = std::get_if<message_run>(&done)) {
    messages_ -= c->messages;
    c->memory = block_ptr{};
  } else {
    --messages_;
    std::get_if<message>(&done)->clear();
  }
  ++first_;
  if (empty()) {
    room_ = 0;
    entries_.clear();
    first_ = 0;
    compacted_ = 0;
    if (entries_.capacity() > stored_entries) {
      entries_ = std::vector<queue_entry>{};
    }
  } else if (first_ >= stored_entries && first_ * 2 >= entries_.size()) {
    entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(first_));
    compacted_ -= std::min(compacted_, first_);
    first_ = 0;
  }
}

void send_queue::hand_over(std::vector<queue_entry>& to) {
  close_chunk();
  const bool swaps = to.empty() && first_ == 0;
  if (!swaps) {
    to.reserve(to.size() + entries_.size() - first_);
  }
  // If several queues share an entry, the last one counts it.
  std::size_t counted = 0;
  for (auto i = first_; i < entries_.size(); ++i) {
    counted += discharge(entries_[i], account_) ? size_of(entries_[i]) : 0;
  }
  if (account_ != nullptr) {
    account_->add(counted);
  }
  away_counted_ += counted;
  away_ = bytes_;
  away_messages_ = messages_;
  if (swaps) {
    std::swap(to, entries_);
  } else {
    to.insert(to.end(),
              std::make_move_iterator(entries_.begin() + static_cast<std::ptrdiff_t>(first_)),
              std::make_move_iterator(entries_.end()));
  }
  entries_.clear();
  first_ = 0;
  compacted_ = 0;
}

void send_queue::release(std::size_t messages, std::size_t bytes) noexcept {
  messages_ -= messages;
  bytes_ -= bytes;
  away_ -= bytes;
  away_messages_ -= messages;
  if (account_ != nullptr) {
    const auto counted = std::min(bytes, away_counted_);
    away_counted_ -= counted;
    account_->subtract(counted);
  }
}

void send_queue::rewind() noexcept {
  lent_ = 0;
  if (at_boundary()) {
    return;
  }
  note();
  if (auto* c = std::get_if<message_run>(&entries_[first_])) {
    // A chunk holds whole messages, so walk its frames up to the message that was cut. The messages
    // before it are done, although their bytes remain until the chunk is released.
    while (start_ < written_) {
      const auto end = start_ + frame::message_at(c->data + start_).bytes;
      if (end > written_) {
        break;
      }
      start_ = end;
      --c->messages;
      --messages_;
    }
  }
  written_ = start_;
}

std::size_t send_queue::drop_unbegun() noexcept {
  close_chunk();
  if (empty()) {
    return 0;
  }
  const auto before = messages_;
  if (at_boundary() && lent_ == 0) {
    discharge_all();
    entries_.clear();
    first_ = compacted_ = written_ = start_ = 0;
    messages_ = away_messages_;
    bytes_ = away_;
    return before - messages_;
  }
  auto kept = first_;
  for (auto begun = written_ + lent_; begun != 0; ++kept) {
    begun -= std::min(begun, size_of(entries_[kept]));
  }
  while (entries_.size() > kept) {
    messages_ -= messages_of(entries_.back());
    bytes_ -= size_of(entries_.back());
    (void)discharge(entries_.back(), account_);
    entries_.pop_back();
  }
  compacted_ = std::min(compacted_, entries_.size());
  return before - messages_;
}

void send_queue::compact() {
  for (auto i = std::max(compacted_, first_); i < entries_.size(); ++i) {
    zmtp::compact(entries_[i], account_);
  }
  compacted_ = entries_.size();
}

void send_queue::clear() noexcept {
  discharge_all();
  if (account_ != nullptr) {
    account_->subtract(away_counted_);
  }
  entries_ = std::vector<queue_entry>{};
  room_ = 0;
  unnoted_ = 0;
  first_ = 0;
  compacted_ = 0;
  written_ = 0;
  start_ = 0;
  lent_ = 0;
  away_ = 0;
  away_messages_ = 0;
  away_counted_ = 0;
  messages_ = 0;
  bytes_ = 0;
}

}  // namespace zmtp
