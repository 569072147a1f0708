#include "zmtp/message.h"

#include <algorithm>
#include <functional>
#include <stdexcept>

namespace zmtp {

namespace {

std::byte* copy(std::byte* to, std::span<const std::byte> bytes) noexcept {
  if (!bytes.empty()) {
    std::memcpy(to, bytes.data(), bytes.size());
  }
  return to + bytes.size();
}

std::span<const std::byte> bytes_of(std::string_view part) noexcept {
  return std::as_bytes(std::span{part});
}

}  // namespace

std::string_view message::back() const noexcept { return (*this)[size() - 1U]; }

std::string_view message::operator[](std::size_t index) const noexcept {
  auto part = begin();
  while (index-- != 0) {
    ++part;
  }
  return *part;
}

std::size_t message::payload_size() const noexcept {
  std::size_t size = 0;
  for (const auto part : *this) {
    size += part.size();
  }
  return size;
}

void message::refuse_parts() {
  throw std::length_error{
      "too many parts in a message: above zmtp::message::max_parts; send several messages"};
}

// Returns whether the bytes of `part` belong to this message. A change could move them.
bool message::holds(std::string_view part) const noexcept {
  const auto within = [&](std::span<const std::byte> piece) {
    const auto* at = reinterpret_cast<const std::byte*>(part.data());
    return std::greater_equal<>{}(at, piece.data()) &&
           std::less<>{}(at, piece.data() + piece.size());
  };
  return within(head()) || within(tail());
}

// Returns the offset of the last frame in head and tail together.
std::size_t message::last_offset() const noexcept {
  if (last_size_ != 0) {
    return framed_size() - last_size_;
  }
  auto last = begin();
  for (auto i = 1; i < parts_; ++i) {
    ++last;
  }
  const auto* const head_end = head_.data() + head_end_;
  const bool in_head = last.at_ >= head_.data() && last.at_ < head_end;
  return static_cast<std::size_t>(in_head ? last.at_ - head().data()
                                          : last.at_ - tail_data_ + (head_end - head().data()));
}

// Sets MORE in the frame at `offset`. The bytes must not be shared with another message.
void message::set_more(std::size_t offset) noexcept {
  auto* const flags = offset < head_size()
                          ? head_.data() + head_begin_ + offset
                          : const_cast<std::byte*>(tail_data_) + (offset - head_size());
  *flags |= frame::more;
}

// Gives the tail a block that only this message owns, with `spare` unused bytes after the tail.
void message::own_tail(std::size_t spare) {
  if (tail_block_ != nullptr && tail_block_->unique() &&
      tail_data_ + tail_size_ + spare <= tail_block_->data() + tail_block_->capacity()) {
    return;
  }
  block_ptr own{block::create(std::max(tail_size_ + spare, spare == 0 ? 0 : 2 * tail_size_))};
  copy(own->data(), tail());
  drop_tail();
  tail_data_ = own->data();
  tail_block_ = own.release();
}

void message::push_back(std::string_view part) {
  if (holds(part)) {
    push_back(std::string{part});
    return;
  }
  copy(append_frame(part.size()), bytes_of(part));
}

std::span<std::byte> message::prepare_back(std::size_t size) {
  if (!adopts(size)) {
    return {append_frame(size), size};
  }
  adopt(block_ptr{block::create(size)});
  return {const_cast<std::byte*>(tail_data_), size};
}

// Appends a frame without its body. Returns the position for the body.
std::byte* message::append_frame(std::size_t size) {
  const auto need = frame::header_size(size) + size;
  require_room_for(1);
  const bool in_head = tail_size_ == 0 && head_size() + need <= inline_capacity;
  if (!in_head) {
    own_tail(need);
  } else if (head_end_ + need > inline_capacity) {
    std::memmove(head_.data(), head_.data() + head_begin_, head_size());
    head_end_ = static_cast<std::uint8_t>(head_size());
    head_begin_ = 0;
  }
  if (parts_ != 0) {
    set_more(last_offset());
  }
  std::byte* to = nullptr;
  if (in_head) {
    to = head_.data() + head_end_;
    head_end_ = static_cast<std::uint8_t>(head_end_ + need);
  } else {
    to = const_cast<std::byte*>(tail_data_) + tail_size_;
    tail_size_ += need;
  }
  ++parts_;
  note_last(need);
  return frame::put_header(to, std::byte{0}, size);
}

void message::push_front(std::string_view part) {
  if (holds(part)) {
    push_front(std::string{part});
    return;
  }
  const auto need = frame::header_size(part.size()) + part.size();
  require_room_for(1);
  if (head_size() + need > inline_capacity) {
    std::array<std::byte, frame::max_header_size> header;
    const auto flags = parts_ == 0 ? std::byte{0} : frame::more;
    const auto* end = frame::put_header(header.data(), flags, part.size());
    gather_behind({header.data(), end}, bytes_of(part));
    note_first(need);
    return;
  }
  make_room_in_front(need);
  const auto flags = parts_ == 0 ? std::byte{0} : frame::more;
  copy(frame::put_header(head_.data() + head_begin_, flags, part.size()), bytes_of(part));
  note_first(need);
}

// Moves the start of the head `bytes` bytes to the front. The head must have this space.
void message::make_room_in_front(std::size_t bytes) noexcept {
  if (bytes > head_begin_) {
    const auto begin = inline_capacity - head_size();
    std::memmove(head_.data() + begin, head_.data() + head_begin_, head_size());
    head_begin_ = static_cast<std::uint8_t>(begin);
    head_end_ = static_cast<std::uint8_t>(inline_capacity);
  }
  head_begin_ = static_cast<std::uint8_t>(head_begin_ - bytes);
}

// Moves all bytes into one block, after the two new pieces, because they do not fit into the head.
void message::gather_behind(std::span<const std::byte> first, std::span<const std::byte> second) {
  const auto size = first.size() + second.size() + framed_size();
  block_ptr own{block::create(size)};
  copy(copy(copy(copy(own->data(), first), second), head()), tail());
  drop_tail();
  tail_data_ = own->data();
  tail_size_ = size;
  tail_block_ = own.release();
  head_begin_ = head_end_ = 0;
}

void message::append(const message& other) {
  if (empty()) {
    *this = other;
    return;
  }
  const auto added = other;  // a copy, because `other` may be this message
  for (const auto part : added) {
    push_back(part);
  }
}

void message::prepend(const message& other) {
  if (empty() || other.empty()) {
    append(other);
    return;
  }
  if (other.size() == 1) {
    push_front(other.front());
    return;
  }
  require_room_for(other.size());
  // `other` may be this message.
  const auto last = other.last_offset();
  const auto added = other.parts_;
  const auto size = other.framed_size();
  if (other.tail().empty() && head_size() + size <= inline_capacity && &other != this) {
    make_room_in_front(size);
    copy(head_.data() + head_begin_, other.head());
  } else {
    gather_behind(other.head(), other.tail());
  }
  set_more(last);
  parts_ = static_cast<std::uint16_t>(parts_ + added);
}

void message::adopt_back(std::string&& part) {
  if (adopts(part.size())) {
    adopt(block_ptr{block::adopt(std::move(part))});
  } else {
    push_back(part);
  }
}

void message::adopt_back(std::vector<std::byte>&& part) {
  if (adopts(part.size())) {
    adopt(block_ptr{block::adopt(std::move(part))});
  } else {
    push_back(as_text(part));
  }
}

void message::adopt(block_ptr owner) {
  if (head_end_ + frame::max_header_size > inline_capacity) {
    std::memmove(head_.data(), head_.data() + head_begin_, head_size());
    head_end_ = static_cast<std::uint8_t>(head_size());
    head_begin_ = 0;
  }
  require_room_for(1);
  if (parts_ != 0) {
    set_more(last_offset());
  }
  ++parts_;
  note_last(frame::max_header_size + owner->capacity());
  frame::put_header(head_.data() + head_end_, std::byte{0}, owner->capacity());
  head_end_ = static_cast<std::uint8_t>(head_end_ + frame::max_header_size);
  tail_data_ = owner->data();
  tail_size_ = owner->capacity();
  tail_block_ = owner.release();
}

void message::compact() {
  if (wasteful()) {
    block_ptr own{block::create(tail_size_)};
    copy(own->data(), tail());
    drop_tail();
    tail_data_ = own->data();
    tail_block_ = own.release();
  }
}

bool operator==(const message& a, const message& b) noexcept {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

}  // namespace zmtp
