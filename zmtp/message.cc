#include "zmtp/message.h"

#include <algorithm>
#include <functional>
#include <stdexcept>

namespace zmtp {

namespace {

std::byte* copy(std::byte* to, std::span<const std::byte> octets) noexcept {
  if (!octets.empty()) {
    std::memcpy(to, octets.data(), octets.size());
  }
  return to + octets.size();
}

std::span<const std::byte> octets_of(std::string_view part) noexcept {
  return std::as_bytes(std::span{part});
}

}  // namespace

std::string_view message::back() const noexcept { return (*this)[part_count() - 1U]; }

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

void message::require_room_for_a_part() const {
  if (parts_ == max_parts) {
    throw std::length_error{"zmtp::message: more than 65,535 parts; send several messages"};
  }
}

// Whether these octets are this message's own, which a change may move.
bool message::holds(std::string_view part) const noexcept {
  const auto within = [&](std::span<const std::byte> piece) {
    const auto* at = reinterpret_cast<const std::byte*>(part.data());
    return std::greater_equal<>{}(at, piece.data()) &&
           std::less<>{}(at, piece.data() + piece.size());
  };
  return within(head()) || within(tail());
}

// Where the flags of the last frame are, in memory that this message alone may write.
std::byte* message::last_flags() noexcept {
  auto last = begin();
  for (auto i = 1; i < parts_; ++i) {
    ++last;
  }
  return const_cast<std::byte*>(last.at_);
}

// Makes the tail a block that only this message owns, with room for `spare` more octets at its end.
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
  copy(append_frame(part.size()), octets_of(part));
}

std::span<std::byte> message::prepare_back(std::size_t size) {
  if (!adopts(size)) {
    return {append_frame(size), size};
  }
  adopt(block_ptr{block::create(size)});
  return {const_cast<std::byte*>(tail_data_), size};
}

// A frame behind the last, all but its body; returns where that goes.
std::byte* message::append_frame(std::size_t size) {
  const auto need = frame::header_size(size) + size;
  require_room_for_a_part();
  std::byte* to = nullptr;
  if (tail_size_ == 0 && head_size() + need <= inline_capacity) {
    if (head_end_ + need > inline_capacity) {
      std::memmove(head_.data(), head_.data() + head_begin_, head_size());
      head_end_ = static_cast<std::uint8_t>(head_size());
      head_begin_ = 0;
    }
    to = head_.data() + head_end_;
    head_end_ = static_cast<std::uint8_t>(head_end_ + need);
  } else {
    own_tail(need);
    to = const_cast<std::byte*>(tail_data_) + tail_size_;
    tail_size_ += need;
  }
  if (parts_ != 0) {
    *last_flags() |= frame::more;
  }
  ++parts_;
  return frame::put_header(to, std::byte{0}, size);
}

void message::push_front(std::string_view part) {
  if (holds(part)) {
    push_front(std::string{part});
    return;
  }
  const auto need = frame::header_size(part.size()) + part.size();
  require_room_for_a_part();
  if (head_size() + need > inline_capacity) {
    gather_behind(part);
    ++parts_;
    return;
  }
  if (need > head_begin_) {
    const auto begin = inline_capacity - head_size();
    std::memmove(head_.data() + begin, head_.data() + head_begin_, head_size());
    head_begin_ = static_cast<std::uint8_t>(begin);
    head_end_ = static_cast<std::uint8_t>(inline_capacity);
  }
  head_begin_ = static_cast<std::uint8_t>(head_begin_ - need);
  const auto flags = parts_ == 0 ? std::byte{0} : frame::more;
  copy(frame::put_header(head_.data() + head_begin_, flags, part.size()), octets_of(part));
  ++parts_;
}

// The head is full: everything moves into one block, behind the new part.
void message::gather_behind(std::string_view front_part) {
  const auto header = frame::header_size(front_part.size());
  const auto size = header + front_part.size() + framed_size();
  block_ptr own{block::create(size)};
  const auto flags = parts_ == 0 ? std::byte{0} : frame::more;
  auto* to = frame::put_header(own->data(), flags, front_part.size());
  copy(copy(copy(to, octets_of(front_part)), head()), tail());
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
  const auto added = other;  // which may be this message itself
  for (const auto part : added) {
    push_back(part);
  }
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
    push_back({reinterpret_cast<const char*>(part.data()), part.size()});
  }
}

void message::adopt(block_ptr owner) {
  if (head_end_ + frame::max_header_size > inline_capacity) {
    std::memmove(head_.data(), head_.data() + head_begin_, head_size());
    head_end_ = static_cast<std::uint8_t>(head_size());
    head_begin_ = 0;
  }
  require_room_for_a_part();
  if (parts_ != 0) {
    *last_flags() |= frame::more;
  }
  ++parts_;
  frame::put_header(head_.data() + head_end_, std::byte{0}, owner->capacity());
  head_end_ = static_cast<std::uint8_t>(head_end_ + frame::max_header_size);
  tail_data_ = owner->data();
  tail_size_ = owner->capacity();
  tail_block_ = owner.release();
}

void message::compact() {
  if (tail_block_ != nullptr && tail_size_ < tail_block_->capacity() / 4) {
    block_ptr own{block::create(tail_size_)};
    copy(own->data(), tail());
    drop_tail();
    tail_data_ = own->data();
    tail_block_ = own.release();
  }
}

bool operator==(const message& a, const message& b) noexcept {
  return a.part_count() == b.part_count() && std::equal(a.begin(), a.end(), b.begin());
}

}  // namespace zmtp
