#pragma once
// A message of one or more parts, stored in its wire format. The unit of queueing, of high-water
// marks, of cancellation and of atomicity.

#include "zmtp/buffer/block.h"
#include "zmtp/frame.h"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp {

// Bytes that are not text: a std::span, std::vector or std::array of std::byte.
template <class Bytes>
concept byte_part = std::convertible_to<const Bytes&, std::span<const std::byte>>;

// A container of parts, which are views into the message. A part is text (std::string_view) or bytes
// (std::span<const std::byte>), which are two views of the same data. Zero bytes are valid. A view
// is valid until the message is changed, moved or destroyed.
//
// The message stores its wire format, with frame headers: a head inside the object, and after it at
// most one slice of a counted block. The socket copies small received messages into the head. Large
// ones share the read buffer as a slice. Popping an envelope moves an offset, and pushing an
// envelope writes into the head. Neither touches the slice. Copies of a message share its slice.
//
// Thread safety: distinct objects safe, even if they are copies that share a slice. One object not
// safe.
class message {
public:
  static constexpr std::size_t inline_capacity = 96;
  static constexpr std::size_t max_parts = 65'535;
  // The socket writes a larger slice directly from its block. Copying a smaller slice is cheaper
  // than a gather entry.
  static constexpr std::size_t large_slice = 4096;

  class const_iterator;
  using iterator = const_iterator;
  using value_type = std::string_view;
  using reference = std::string_view;
  using const_reference = std::string_view;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;

  // Creates a message without parts. User-provided, because a defaulted constructor would zero the
  // head.
  message() noexcept {}  // NOLINT: see above
  // Creates one part per argument, text or bytes: message{"MDPC01", service, body}. Not an
  // initializer_list, because GCC 12 does not compile one inside a co_await expression.
  template <class... Parts>
  requires(sizeof...(Parts) != 0 &&
           ((std::convertible_to<const Parts&, std::string_view> || byte_part<Parts>)&&...))
      message(const Parts&... parts) {  // NOLINT: implicit, a list of parts should convert
    (push_back(parts), ...);
  }
  message(const message& other) noexcept;
  message(message&& other) noexcept;
  message& operator=(const message& other) noexcept;
  message& operator=(message&& other) noexcept;
  ~message() { drop_tail(); }

  // For decoders. `run` is one whole, valid message of `parts` frames without the COMMAND flag. The
  // run lies in `owner`. The message shares `owner` if the run does not fit into the head.
  message(const block_ptr& owner, std::span<const std::byte> run, std::size_t parts);

  [[nodiscard]] bool empty() const noexcept { return parts_ == 0; }
  // Returns the number of parts. For bytes see payload_size().
  [[nodiscard]] std::size_t size() const noexcept { return parts_; }
  [[nodiscard]] const_iterator begin() const noexcept;
  [[nodiscard]] const_iterator end() const noexcept;
  [[nodiscard]] std::string_view front() const noexcept;
  [[nodiscard]] std::string_view back() const noexcept;
  // Iterates from the front, so use it for the first few parts. `index` must be below size().
  [[nodiscard]] std::string_view operator[](std::size_t index) const noexcept;
  // Returns a part as bytes.
  [[nodiscard]] std::span<const std::byte> bytes(std::size_t index) const noexcept {
    return std::as_bytes(std::span{(*this)[index]});
  }

  void push_back(std::string_view part);
  template <byte_part Bytes>
  void push_back(const Bytes& part) {
    push_back(as_text(part));
  }
  // Appends a part of `size` bytes for the caller to fill in. The span is valid until the message
  // is changed, moved or destroyed.
  [[nodiscard]] std::span<std::byte> prepare_back(std::size_t size);
  void push_front(std::string_view part);
  template <byte_part Bytes>
  void push_front(const Bytes& part) {
    push_front(as_text(part));
  }
  // append() adds each part of `other` at the end. prepend() adds them before the first part, as an
  // envelope.
  void append(const message& other);
  void prepend(const message& other);
  // Removes the first part. The message must not be empty.
  void pop_front() noexcept;
  void clear() noexcept;

  // Appends a part without copying it, if the part is large and the message does not have a slice
  // yet.
  void adopt_back(std::string&& part);
  void adopt_back(std::vector<std::byte>&& part);

  // Returns the size on the wire, frame headers included.
  [[nodiscard]] std::size_t framed_size() const noexcept { return head_size() + tail_size_; }
  // Returns the size of all parts without frame headers.
  [[nodiscard]] std::size_t payload_size() const noexcept;

  // The wire format in two pieces. The tail is often empty.
  [[nodiscard]] std::span<const std::byte> head() const noexcept {
    return {head_.data() + head_begin_, head_size()};
  }
  [[nodiscard]] std::span<const std::byte> tail() const noexcept {
    return {tail_data_, tail_size_};
  }

  // Returns the block that contains the tail, or nullptr without a tail. Other messages may share
  // the block.
  [[nodiscard]] block* tail_block() const noexcept { return tail_block_; }
  // Like tail_block(), as another owner.
  [[nodiscard]] block_ptr share_tail() const noexcept {
    if (tail_block_ != nullptr) {
      tail_block_->add_owner();
    }
    return block_ptr{tail_block_};
  }
  // Returns the memory that this message keeps allocated: the object and the whole shared block.
  [[nodiscard]] std::size_t memory_size() const noexcept {
    return sizeof(message) + (tail_block_ != nullptr ? tail_block_->capacity() : 0);
  }
  // Returns whether the tail keeps a block of more than four times its size allocated.
  [[nodiscard]] bool wasteful() const noexcept {
    return tail_block_ != nullptr && tail_size_ < tail_block_->capacity() / 4;
  }
  // Moves a small slice of a large block into a block of its own, so that 20 bytes never pin 64
  // KiB. Queues compact the messages that remain at the end of a turn.
  void compact();

  friend bool operator==(const message& a, const message& b) noexcept;

private:
  [[nodiscard]] std::size_t head_size() const noexcept {
    return static_cast<std::size_t>(head_end_ - head_begin_);
  }
  void drop_tail() noexcept {
    if (tail_block_ != nullptr) {
      tail_block_->remove_owner();
    }
  }
  [[nodiscard]] static std::string_view as_text(std::span<const std::byte> part) noexcept {
    return {reinterpret_cast<const char*>(part.data()), part.size()};
  }
  [[nodiscard]] bool holds(std::string_view part) const noexcept;
  void note_last(std::size_t frame_size) noexcept {
    last_size_ = frame_size <= 0xffff'ffff ? static_cast<std::uint32_t>(frame_size) : 0;
  }
  void note_first(std::size_t frame_size) noexcept {
    if (parts_++ == 0) {
      note_last(frame_size);
    }
  }
  void own_tail(std::size_t spare);
  [[nodiscard]] std::byte* append_frame(std::size_t size);
  [[nodiscard]] bool adopts(std::size_t size) const noexcept {
    return size > large_slice && tail_size_ == 0 &&
           head_size() + frame::max_header_size <= inline_capacity;
  }
  [[nodiscard]] std::size_t last_offset() const noexcept;
  void set_more(std::size_t offset) noexcept;
  void make_room_in_front(std::size_t bytes) noexcept;
  void gather_behind(std::span<const std::byte> first, std::span<const std::byte> second);
  void require_room_for(std::size_t parts) const {
    if (parts_ + parts > max_parts) {
      refuse_parts();
    }
  }
  [[noreturn]] static void refuse_parts();
  void adopt(block_ptr owner);

  block* tail_block_ = nullptr;
  const std::byte* tail_data_ = nullptr;
  std::size_t tail_size_ = 0;
  std::uint32_t last_size_ = 0;  // bytes of the last frame with its header; 0: unknown
  std::uint16_t parts_ = 0;
  std::uint8_t head_begin_ = 0;
  std::uint8_t head_end_ = 0;
  // If only the body of the last frame is shared, the head ends with its header and the tail is its
  // body.
  std::array<std::byte, inline_capacity> head_;

  // Copies only the used part of the head, because most messages are small.
  static constexpr std::size_t line = 64;
  void copy_object(const message& other) noexcept;
};

static_assert(sizeof(message) == 128);

class message::const_iterator {
public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = std::string_view;
  using difference_type = std::ptrdiff_t;
  using pointer = const std::string_view*;
  using reference = std::string_view;

  const_iterator() noexcept = default;

  [[nodiscard]] std::string_view operator*() const noexcept {
    const auto size = static_cast<std::size_t>(frame::declared_size(at_));
    return {reinterpret_cast<const char*>(body(size)), size};
  }
  const_iterator& operator++() noexcept {
    const auto size = static_cast<std::size_t>(frame::declared_size(at_));
    at_ = body(size) + size;
    if (at_ == head_end_) {
      at_ = tail_;
    }
    return *this;
  }
  const_iterator operator++(int) noexcept {
    auto before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const const_iterator& a, const const_iterator& b) noexcept {
    return a.at_ == b.at_;
  }

private:
  friend class message;
  friend class message_batch;
  friend class message_view;
  const_iterator(const std::byte* at, const std::byte* head_end, const std::byte* tail) noexcept
      : at_{at == head_end ? tail : at}, head_end_{head_end}, tail_{tail} {}

  [[nodiscard]] const std::byte* body(std::size_t size) const noexcept {
    const std::byte* in_place = at_ + frame::header_size(*at_);
    // Only a frame whose header ends the head can have its body in the tail.
    return in_place == head_end_ && size != 0 ? tail_ : in_place;
  }

  const std::byte* at_ = nullptr;
  const std::byte* head_end_ = nullptr;
  const std::byte* tail_ = nullptr;
};

inline void message::copy_object(const message& other) noexcept {
  auto* const to = reinterpret_cast<std::byte*>(this);
  const auto* const from = reinterpret_cast<const std::byte*>(&other);
  std::memcpy(to, from, line);
  if (other.head_end_ > inline_capacity - (sizeof(message) - line)) {
    std::memcpy(to + line, from + line, sizeof(message) - line);
  }
}

inline message::message(const block_ptr& owner, std::span<const std::byte> run, std::size_t parts)
    : parts_{static_cast<std::uint16_t>(parts)} {
  if (parts == 1) {
    note_last(run.size());
  }
  if (run.size() <= inline_capacity) {
    copy_short(head_.data(), run.data(), run.size());
    head_end_ = static_cast<std::uint8_t>(run.size());
  } else {
    tail_block_ = block_ptr{owner}.release();
    tail_data_ = run.data();
    tail_size_ = run.size();
  }
}

inline message::message(const message& other) noexcept {
  copy_object(other);
  if (tail_block_ != nullptr) {
    tail_block_->add_owner();
  }
}

inline message::message(message&& other) noexcept {
  copy_object(other);
  other.tail_block_ = nullptr;
  other.clear();
}

inline message& message::operator=(message&& other) noexcept {
  if (this != &other) {
    drop_tail();
    copy_object(other);
    other.tail_block_ = nullptr;
    other.clear();
  }
  return *this;
}

inline message& message::operator=(const message& other) noexcept { return *this = message{other}; }

inline void message::clear() noexcept {
  drop_tail();
  tail_block_ = nullptr;
  tail_data_ = nullptr;
  tail_size_ = 0;
  last_size_ = 0;
  parts_ = 0;
  head_begin_ = 0;
  head_end_ = 0;
}

inline message::const_iterator message::begin() const noexcept {
  return {head_.data() + head_begin_, head_.data() + head_end_, tail_data_};
}

inline message::const_iterator message::end() const noexcept {
  const auto* head_end = head_.data() + head_end_;
  const auto* end = tail_data_ + tail_size_;
  return {end, head_end, end};
}

inline std::string_view message::front() const noexcept { return *begin(); }

inline void message::pop_front() noexcept {
  auto next = begin();
  ++next;
  --parts_;
  if (parts_ == 0) {
    clear();
  } else if (next.at_ >= head_.data() && next.at_ < head_.data() + head_end_) {
    head_begin_ = static_cast<std::uint8_t>(next.at_ - head_.data());
  } else {
    head_begin_ = head_end_ = 0;
    tail_size_ -= static_cast<std::size_t>(next.at_ - tail_data_);
    tail_data_ = next.at_;
  }
}

}  // namespace zmtp
