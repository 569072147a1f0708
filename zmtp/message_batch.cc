#include "zmtp/message_batch.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <new>

namespace zmtp {

message_batch::message_batch(const message_batch& other)
    : items_{other.items_.begin() + static_cast<std::ptrdiff_t>(other.first_), other.items_.end()},
      messages_{other.messages_},
      bytes_{other.bytes_},
      usual_{other.usual_} {}

void message_batch::swap(message_batch& other) noexcept {
  std::swap(items_, other.items_);
  std::swap(first_, other.first_);
  std::swap(messages_, other.messages_);
  std::swap(bytes_, other.bytes_);
  std::swap(growing_, other.growing_);
  std::swap(growing_for_, other.growing_for_);
  std::swap(room_, other.room_);
  std::swap(block_, other.block_);
  std::swap(free_, other.free_);
  std::swap(usual_, other.usual_);
}

void message_batch::pop_front() noexcept {
  const auto& first = items_[first_].content;
  if (const auto* const run = std::get_if<message_run>(&first)) {
    drop_front({.bytes = frame::message_at(run->data).bytes, .messages = 1});
  } else {
    drop_front({.bytes = size_of(first), .messages = 1});
  }
}

void message_batch::drop_front(frame::cut part) noexcept {
  auto& first = items_[first_].content;
  messages_ -= part.messages;
  bytes_ -= part.bytes;
  if (messages_ == 0) {
    forget();
  } else if (messages_of(first) == part.messages) {
    first = message_run{};
    ++first_;
  } else {
    std::get_if<message_run>(&first)->drop_front(part);
  }
}

void message_batch::clear() noexcept {
  messages_ = 0;
  bytes_ = 0;
  forget();
}

// Removes the items, and keeps the block for the next messages, unless a large message needed it.
void message_batch::forget() noexcept {
  items_.clear();
  first_ = 0;
  stop_growing();
  if (block_ && block_->capacity() > block_size::large) {
    block_ = {};
  }
}

void message_batch::start_run(std::size_t size, peer_id to) {
  stop_growing();
  if (block_ && block_->unique()) {
    free_ = block_->data();
  }
  auto room = block_ ? static_cast<std::size_t>(block_->data() + block_->capacity() - free_) : 0;
  if (size > room) {
    // The next batch fits into one block.
    usual_ = std::clamp(std::bit_ceil(std::max(2 * bytes_, usual_)), block_size::small,
                        block_size::large);
    room = std::max(size, usual_);
    block_ = block_ptr{block::create(room)};
    free_ = block_->data();
  }
  auto& next = items_.emplace_back(
      item{.content = message_run{.memory = block_, .data = free_, .shared = true}, .peer = to});
  growing_ = std::get_if<message_run>(&next.content);
  growing_for_ = to;
  room_ = room;
}

void message_batch::append(const message_view& m) {
  if (m.empty()) {
    return;
  }
  if (m.at_ == nullptr) {
    append_to(m.peer(), m.to_message());
    return;
  }
  const auto bytes = m.reach_.bytes;
  auto* const to = extend(bytes, m.peer());
  if (bytes <= short_copy) {
    copy_short(to, m.at_, bytes);
  } else {
    std::memcpy(to, m.at_, bytes);
  }
}

void message_batch::append_to(peer_id to, message&& m) {
  const auto head = m.head();
  const auto tail = m.tail();
  if (m.empty()) {
    return;
  }
  if (tail.size() > message::large_slice) {
    push_back({.content = std::move(m), .peer = to});
    return;
  }
  auto* const at = extend(m.framed_size(), to);
  copy_short(at, head.data(), head.size());
  if (!tail.empty()) {
    std::memcpy(at + head.size(), tail.data(), tail.size());
  }
  m.clear();
}

void message_batch::append(message_batch&& other) {
  items_.reserve(items_.size() + other.items_.size() - other.first_);
  stop_growing();
  std::move(other.items_.begin() + static_cast<std::ptrdiff_t>(other.first_), other.items_.end(),
            std::back_inserter(items_));
  messages_ += std::exchange(other.messages_, 0);
  bytes_ += std::exchange(other.bytes_, 0);
  other.forget();
}

void message_batch::append(const message_batch& other) {
  reserve(other.items_.size() - other.first_);
  for (auto i = other.first_; i < other.items_.size(); ++i) {
    push_back(item{other.items_[i]});
  }
}

std::size_t message_batch::append_behind(std::string_view first_part, const queue_entry& from,
                                         std::size_t most) {
  const auto* const run = std::get_if<message_run>(&from);
  frame::cut small;
  std::size_t parts = 0;
  while (run != nullptr && small.messages < std::min(most, run->messages)) {
    const auto next = frame::message_at(run->data + small.bytes);
    parts = next.parts;
    if (next.bytes > message::large_slice || parts >= message::max_parts) {
      break;
    }
    small.bytes += next.bytes;
    ++small.messages;
  }
  if (small.messages == 0) {
    auto whole = run == nullptr
                     ? *std::get_if<message>(&from)
                     : message{run->memory, {run->data, frame::message_at(run->data).bytes}, parts};
    if (whole.size() >= message::max_parts) {
      return 0;
    }
    whole.push_front(first_part);
    append(std::move(whole));
    return 1;
  }
  auto* to = extend(small.bytes + small.messages * framed_size_of(first_part), {});
  growing_->messages += small.messages - 1;
  messages_ += small.messages - 1;
  const auto* at = run->data;
  for (auto left = small.messages; left != 0; --left) {
    const auto size = frame::message_at(at).bytes;
    to = put_part(to, first_part, true);
    std::memcpy(to, at, size);
    to += size;
    at += size;
  }
  return small.messages;
}

void message_batch::compact() noexcept {
  stop_growing();
  for (auto i = first_; i < items_.size(); ++i) {
    try {
      zmtp::compact(items_[i].content, nullptr);
    } catch (const std::bad_alloc&) {
      // Without memory, the messages keep their buffer.
    }
  }
}

void message_batch::reserve(std::size_t items) {
  if (items_.capacity() - items_.size() < items) {
    stop_growing();
    items_.reserve(items_.size() + std::max(items_.size(), items));
  }
}

void message_batch::push_back(item&& next) {
  const auto bytes = size_of(next.content);
  const auto messages = messages_of(next.content);
  stop_growing();
  items_.push_back(std::move(next));
  bytes_ += bytes;
  messages_ += messages;
}

}  // namespace zmtp
