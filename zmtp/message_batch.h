#pragma once
// Many messages as runs of framed bytes, for receiving and sending without an object per message.

#include "zmtp/buffer/block.h"
#include "zmtp/buffer/queue_entry.h"
#include "zmtp/frame.h"
#include "zmtp/message.h"
#include "zmtp/peer.h"

#include <concepts>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace zmtp {

// Messages of a batch as they are stored, and their peer.
struct batch_item {
  queue_entry content;
  peer_id peer{};
  routed_message::kind what = routed_message::kind::message;
};

// One message of a batch, without an object of its own: a container of parts, like zmtp::message.
// With announced peers, also the notice that a peer attached or detached. A notice does not have
// parts.
//
// Valid until the batch is changed or destroyed.
class message_view {
public:
  using const_iterator = message::const_iterator;
  using iterator = const_iterator;
  using value_type = std::string_view;
  using size_type = std::size_t;

  // Returns whether this is the notice of an attach or detach.
  [[nodiscard]] bool empty() const noexcept { return reach_.parts == 0; }
  // Returns the number of parts. For bytes see payload_size().
  [[nodiscard]] std::size_t size() const noexcept { return reach_.parts; }
  [[nodiscard]] const_iterator begin() const noexcept {
    return at_ != nullptr ? const_iterator{at_, nullptr, nullptr} : object().begin();
  }
  [[nodiscard]] const_iterator end() const noexcept {
    return at_ != nullptr ? const_iterator{at_ + reach_.bytes, nullptr, nullptr} : object().end();
  }
  [[nodiscard]] std::string_view front() const noexcept { return *begin(); }
  [[nodiscard]] std::string_view back() const noexcept { return (*this)[size() - 1]; }
  // Iterates from the front, so use it for the first few parts. `index` must be below size().
  [[nodiscard]] std::string_view operator[](std::size_t index) const noexcept {
    auto part = begin();
    for (; index != 0; --index) {
      ++part;
    }
    return *part;
  }
  // Returns a part as bytes.
  [[nodiscard]] std::span<const std::byte> bytes(std::size_t index) const noexcept {
    return std::as_bytes(std::span{(*this)[index]});
  }
  // Returns the size of all parts without frame headers.
  [[nodiscard]] std::size_t payload_size() const noexcept {
    std::size_t size = 0;
    for (const auto part : *this) {
      size += part.size();
    }
    return size;
  }
  // Returns the size on the wire, frame headers included.
  [[nodiscard]] std::size_t framed_size() const noexcept { return reach_.bytes; }

  // Returns the sender of a received message, or the receiver of a message of append_to().
  [[nodiscard]] peer_id peer() const noexcept { return item_->peer; }
  [[nodiscard]] routed_message::kind what() const noexcept { return item_->what; }

  // Returns the message as an object. The object shares the memory of a large message.
  [[nodiscard]] message to_message() const {
    return at_ != nullptr ? message{std::get_if<message_run>(&item_->content)->memory,
                                    {at_, reach_.bytes},
                                    reach_.parts}
                          : object();
  }
  [[nodiscard]] routed_message to_routed_message() const {
    return {.what = what(), .peer = peer(), .content = to_message()};
  }

private:
  friend class message_batch;

  message_view(const batch_item* item, const std::byte* at, const frame::extent& reach) noexcept
      : item_{item}, at_{at}, reach_{reach} {}

  [[nodiscard]] const message& object() const noexcept {
    return *std::get_if<message>(&item_->content);
  }

  const batch_item* item_;
  const std::byte* at_;  // null if the item is an object
  frame::extent reach_;
};

// A queue of messages, stored as they are framed. A received batch is slices of the read buffer. A
// batch to send is a few blocks that the append functions fill. The socket queues a large run by
// reference. Iterating returns a message_view for each message.
//
// While a received batch exists, it keeps its read buffers. So clear it, or reuse it for the next
// receive, and copy messages that must live longer: message_view::to_message().
//
// Thread safety: distinct objects safe, even if they are copies that share blocks. One object not
// safe.
class message_batch {
public:
  class const_iterator;
  using iterator = const_iterator;
  using value_type = message_view;
  using size_type = std::size_t;

  message_batch() noexcept = default;
  message_batch(const message_batch& other);
  message_batch(message_batch&& other) noexcept { swap(other); }
  message_batch& operator=(message_batch other) noexcept {
    swap(other);
    return *this;
  }
  ~message_batch() = default;
  void swap(message_batch& other) noexcept;

  [[nodiscard]] bool empty() const noexcept { return messages_ == 0; }
  // Returns the number of messages.
  [[nodiscard]] std::size_t size() const noexcept { return messages_; }
  // Returns the size of all messages on the wire, frame headers included.
  [[nodiscard]] std::size_t framed_size() const noexcept { return bytes_; }
  [[nodiscard]] const_iterator begin() const noexcept;
  [[nodiscard]] const_iterator end() const noexcept;
  // The batch must not be empty.
  [[nodiscard]] message_view front() const noexcept;
  // Removes the first message. The batch must not be empty.
  void pop_front() noexcept;
  void clear() noexcept;

  // Appends a message with one part per argument, text or bytes: append("MDPC01", service, body).
  template <class... Parts>
  requires(sizeof...(Parts) != 0 && ((std::convertible_to<const Parts&, std::string_view> ||
                                      byte_part<Parts>)&&...)) void append(const Parts&... parts) {
    append_to(peer_id{}, parts...);
  }
  // Like append(), for a socket with addressable peers.
  template <class... Parts>
  requires(sizeof...(Parts) != 0 &&
           ((std::convertible_to<const Parts&, std::string_view> ||
             byte_part<Parts>)&&...)) void append_to(peer_id to, const Parts&... parts) {
    auto left = sizeof...(Parts);
    auto* at = extend((framed_size_of(as_text(parts)) + ...), to);
    ((at = put_part(at, as_text(parts), --left != 0)), ...);
  }
  // Appends a message of one part of `size` bytes for the caller to fill in.
  [[nodiscard]] std::span<std::byte> prepare(std::size_t size) {
    auto* const at = extend(frame::header_size(size) + size, {});
    return {frame::put_header(at, {}, size), size};
  }
  // Appends a message. The first form copies the message and its peer. The others share or take the
  // memory of a large message. A message without parts is not appended.
  void append(const message_view& m);
  void append(const message& m) { append(message{m}); }
  void append(message&& m) { append_to(peer_id{}, std::move(m)); }
  void append_to(peer_id to, message&& m);
  // Appends all messages of `other`, which is empty afterwards. Does not copy the messages.
  void append(message_batch&& other);
  // Appends all messages of `other`. Shares the messages.
  void append(const message_batch& other);

  // For sockets: the content as it is stored. The batch must not be empty.
  using item = batch_item;
  [[nodiscard]] item& first_item() noexcept { return items_[first_]; }
  // Does not throw after reserve().
  void push_back(item&& next);
  // Makes space for this number of items, so that an item that was taken from a queue is not lost.
  void reserve(std::size_t items = 1);
  // Removes messages at the front of the first item: a part of a run, or the whole item.
  void drop_front(frame::cut part) noexcept;
  // Appends the first messages of a queue entry, at most `most`, each behind a part with this text.
  // Returns their number, or 0 if the first message has no space for another part. Shares a large
  // message, and copies small ones.
  std::size_t append_behind(std::string_view first_part, const queue_entry& from, std::size_t most);
  // Copies messages that keep a much larger buffer. For a batch that is kept after a turn.
  void compact() noexcept;

private:
  [[nodiscard]] static std::string_view as_text(std::string_view part) noexcept { return part; }
  [[nodiscard]] static std::string_view as_text(std::span<const std::byte> part) noexcept {
    return {reinterpret_cast<const char*>(part.data()), part.size()};
  }
  [[nodiscard]] static std::size_t framed_size_of(std::string_view part) noexcept {
    return frame::header_size(part.size()) + part.size();
  }
  [[nodiscard]] static std::byte* put_part(std::byte* at, std::string_view part,
                                           bool more) noexcept {
    at = frame::put_header(at, more ? frame::more : std::byte{}, part.size());
    const auto* const from = reinterpret_cast<const std::byte*>(part.data());
    if (part.size() <= short_copy) {
      copy_short(at, from, part.size());
    } else {
      std::memcpy(at, from, part.size());
    }
    return at + part.size();
  }
  // Adds `size` bytes for a message at the end. Returns their position.
  [[nodiscard]] std::byte* extend(std::size_t size, peer_id to) {
    if (size > room_ || growing_for_ != to) [[unlikely]] {
      start_run(size, to);
    }
    auto* const at = free_;
    free_ += size;
    room_ -= size;
    growing_->size += size;
    ++growing_->messages;
    bytes_ += size;
    ++messages_;
    return at;
  }
  // The next message starts a new run.
  void stop_growing() noexcept {
    growing_ = nullptr;
    room_ = 0;
  }
  void start_run(std::size_t size, peer_id to);
  void forget() noexcept;

  static constexpr std::size_t short_copy = 128;

  std::vector<item> items_;
  std::size_t first_ = 0;  // items before this one have been removed
  std::size_t messages_ = 0;
  std::size_t bytes_ = 0;
  message_run* growing_ = nullptr;  // the last item, if it ends where `free_` begins …
  peer_id growing_for_;             // … its peer …
  std::size_t room_ = 0;            // … and the bytes that it can grow
  block_ptr block_;
  std::byte* free_ = nullptr;  // the rest of `block_`
  std::size_t usual_ = 0;      // capacity for a whole batch
};

class message_batch::const_iterator {
public:
  using iterator_category = std::input_iterator_tag;
  using iterator_concept = std::forward_iterator_tag;
  using value_type = message_view;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = message_view;

  const_iterator() noexcept = default;

  [[nodiscard]] message_view operator*() const noexcept { return {item_, at_, reach_}; }
  const_iterator& operator++() noexcept {
    if (--left_ != 0) {
      at_ += reach_.bytes;
      reach_ = frame::message_at(at_);
    } else {
      ++item_;
      enter();
    }
    return *this;
  }
  const_iterator operator++(int) noexcept {
    auto before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const const_iterator& a, const const_iterator& b) noexcept {
    return a.item_ == b.item_ && a.left_ == b.left_;
  }

private:
  friend class message_batch;
  const_iterator(const item* first, const item* end) noexcept : item_{first}, end_{end} { enter(); }

  void enter() noexcept {
    if (item_ == end_) {
      return;
    }
    if (const auto* const run = std::get_if<message_run>(&item_->content)) {
      at_ = run->data;
      left_ = run->messages;
      reach_ = frame::message_at(at_);
    } else {
      const auto& m = *std::get_if<message>(&item_->content);
      at_ = nullptr;
      left_ = 1;
      reach_ = {.bytes = m.framed_size(), .parts = m.size()};
    }
  }

  const item* item_ = nullptr;
  const item* end_ = nullptr;
  std::size_t left_ = 0;           // messages of the item from this one on
  const std::byte* at_ = nullptr;  // this message; null if the item is an object
  frame::extent reach_;
};

inline message_batch::const_iterator message_batch::begin() const noexcept {
  return {items_.data() + first_, items_.data() + items_.size()};
}

inline message_batch::const_iterator message_batch::end() const noexcept {
  const auto* const end = items_.data() + items_.size();
  return {end, end};
}

inline message_view message_batch::front() const noexcept { return *begin(); }

}  // namespace zmtp
