#pragma once
// Counted blocks of bytes. Messages, read buffers and send queues share blocks instead of copying.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

namespace zmtp {

// The unit in which common processors read and write memory, in bytes. Another size affects only
// speed.
inline constexpr std::size_t cache_line = 64;

namespace detail {

template <class Word>
inline void copy_ends(std::byte* to, const std::byte* from, std::size_t count) noexcept {
  Word first;
  Word last;
  std::memcpy(&first, from, sizeof(Word));
  std::memcpy(&last, from + count - sizeof(Word), sizeof(Word));
  std::memcpy(to, &first, sizeof(Word));
  std::memcpy(to + count - sizeof(Word), &last, sizeof(Word));
}

}  // namespace detail

// Copies a few bytes whose number is known only at run time. For a bounded memcpy, compilers
// generate code whose setup takes longer than the copy. The ranges must not overlap. Correct for
// any count, fast for up to about 100 bytes. Always inline, because the function runs for every
// message and compilers consider it too long.
[[gnu::always_inline]] inline void copy_short(std::byte* to, const std::byte* from,
                                              std::size_t count) noexcept {
  struct sixteen {
    std::uint64_t low;
    std::uint64_t high;
  };
  if (count >= sizeof(sixteen)) {
    for (std::size_t at = 0; at < count - sizeof(sixteen); at += sizeof(sixteen)) {
      std::memcpy(to + at, from + at, sizeof(sixteen));
    }
    std::memcpy(to + count - sizeof(sixteen), from + count - sizeof(sixteen), sizeof(sixteen));
  } else if (count >= 8) {
    detail::copy_ends<std::uint64_t>(to, from, count);
  } else if (count >= 4) {
    detail::copy_ends<std::uint32_t>(to, from, count);
  } else if (count >= 2) {
    detail::copy_ends<std::uint16_t>(to, from, count);
  } else if (count == 1) {
    *to = *from;
  }
}

// Usual sizes of blocks in bytes. Queues compact what remains in a block at the end of a turn.
namespace block_size {
inline constexpr std::size_t small = 4 * 1024;
inline constexpr std::size_t large = 64 * 1024;
inline constexpr std::size_t reading = 256 * 1024;
}  // namespace block_size

// Memory with a count of its owners. The count is atomic, because messages cross threads. Only code
// that knows that no other owner reads the bytes may write them.
class block {
public:
  // Returns uninitialized memory of `capacity` bytes with a count of one. Throws std::bad_alloc.
  [[nodiscard]] static block* create(std::size_t capacity);

  // Takes over a contiguous container of bytes without copying its elements. The count is one.
  template <class Container>
  [[nodiscard]] static block* adopt(Container&& container);

  block(const block&) = delete;
  block& operator=(const block&) = delete;

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

  // Returns whether there is one owner, which may then write.
  [[nodiscard]] bool unique() const noexcept { return count_.load(std::memory_order_acquire) == 1; }

  void add_owner() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  void remove_owner() noexcept {
    // A sole owner does not need a locked instruction to detect that it is the last.
    if (unique() || count_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      release_(this);
    }
  }

  // Counts the queues that contain the block, beside its owners, so that it is charged once for all
  // of them. enter_queue() returns whether this is the first queue, leave_queue() whether this was
  // the last.
  [[nodiscard]] bool enter_queue() noexcept {
    return queues_.fetch_add(1, std::memory_order_relaxed) == 0;
  }
  [[nodiscard]] bool leave_queue() noexcept {
    return queues_.fetch_sub(1, std::memory_order_relaxed) == 1;
  }

protected:
  using release_function = void (*)(block*) noexcept;
  explicit block(release_function release) noexcept : release_{release} {}
  ~block() = default;
  void refer_to(std::byte* data, std::size_t capacity) noexcept {
    data_ = data;
    capacity_ = capacity;
  }

private:
  std::atomic<std::uint32_t> count_{1};
  std::atomic<std::uint32_t> queues_{0};
  release_function release_;
  std::byte* data_ = nullptr;
  std::size_t capacity_ = 0;
};

namespace detail {

template <class Container>
class adopted_block final : public block {
public:
  explicit adopted_block(Container&& container)
      : block{[](block* self) noexcept { delete static_cast<adopted_block*>(self); }},
        container_{std::move(container)} {
    const auto bytes = std::as_writable_bytes(std::span{container_});
    refer_to(bytes.data(), bytes.size());
  }

private:
  Container container_;
};

}  // namespace detail

template <class Container>
block* block::adopt(Container&& container) {
  static_assert(!std::is_lvalue_reference_v<Container>, "move the container in");
  return new detail::adopted_block<Container>{std::move(container)};
}

// Owns one count of a block.
class block_ptr {
public:
  block_ptr() noexcept = default;
  // Takes over the caller's count.
  explicit block_ptr(block* counted) noexcept : block_{counted} {}
  block_ptr(const block_ptr& other) noexcept : block_{other.block_} {
    if (block_ != nullptr) {
      block_->add_owner();
    }
  }
  block_ptr(block_ptr&& other) noexcept : block_{std::exchange(other.block_, nullptr)} {}
  block_ptr& operator=(block_ptr other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~block_ptr() {
    if (block_ != nullptr) {
      block_->remove_owner();
    }
  }

  [[nodiscard]] block* get() const noexcept { return block_; }
  [[nodiscard]] block* release() noexcept { return std::exchange(block_, nullptr); }
  block* operator->() const noexcept { return block_; }
  explicit operator bool() const noexcept { return block_ != nullptr; }

private:
  block* block_ = nullptr;
};

}  // namespace zmtp
