#pragma once
// A counted block of octets: what messages, read buffers and send queues share instead of copying.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace zmtp {

// What blocks are made of for the length of a turn.
namespace block_size {
inline constexpr std::size_t small = 4 * 1024;
inline constexpr std::size_t large = 64 * 1024;
inline constexpr std::size_t reading = 256 * 1024;
}  // namespace block_size

// Memory with a count of its owners. Counts are atomic, because messages cross threads; the octets
// are written only by who knows that nobody else reads them.
class block {
public:
  // Uninitialised memory of `capacity` octets with a count of one. Throws std::bad_alloc.
  [[nodiscard]] static block* create(std::size_t capacity);

  // Takes over a contiguous container of octets without copying what it holds, count of one.
  template <class Container>
  [[nodiscard]] static block* adopt(Container&& container);

  block(const block&) = delete;
  block& operator=(const block&) = delete;

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

  // True while there is one owner, which may then write.
  [[nodiscard]] bool unique() const noexcept { return count_.load(std::memory_order_acquire) == 1; }

  void add_owner() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  void remove_owner() noexcept {
    // An only owner needs no locked instruction to find out that it is the last.
    if (unique() || count_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      release_(this);
    }
  }

  // The queues that it waits in, beside its owners, so that it can count once in all of them. Whether this
  // one is the first; whether it was the last.
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
    const auto octets = std::as_writable_bytes(std::span{container_});
    refer_to(octets.data(), octets.size());
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
  // Takes over the count that the caller holds.
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
