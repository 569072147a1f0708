#pragma once
// Memory of an object for one asynchronous wait of its own, so that the wait cannot fail without
// memory.

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

namespace zmtp {

// Gives its memory to one operation at a time, which may allocate several blocks. Uses the heap for
// blocks that do not fit, as those of a second operation.
//
// The operation may outlive this object: its handler may own the object, and a handler is destroyed
// before its memory is given back.
class reserved_memory {
  class area;

public:
  // For boost::asio::bind_allocator.
  template <class T>
  class allocator {
  public:
    using value_type = T;

    explicit allocator(std::shared_ptr<area> from) noexcept : from_{std::move(from)} {}
    template <class U>
    allocator(const allocator<U>& other) noexcept
        : from_{other.from_} {}  // NOLINT: allocators convert implicitly

    [[nodiscard]] T* allocate(std::size_t count) {
      auto* const reserved =
          alignof(T) <= area::alignment ? from_->take(count * sizeof(T)) : nullptr;
      return reserved != nullptr ? static_cast<T*>(reserved) : std::allocator<T>{}.allocate(count);
    }
    void deallocate(T* memory, std::size_t count) noexcept {
      if (!from_->give_back(memory)) {
        std::allocator<T>{}.deallocate(memory, count);
      }
    }
    friend bool operator==(const allocator&, const allocator&) noexcept = default;

  private:
    template <class U>
    friend class allocator;

    std::shared_ptr<area> from_;
  };

  [[nodiscard]] allocator<void*> get_allocator() const noexcept { return allocator<void*>{area_}; }

private:
  class area {
  public:
    static constexpr std::size_t alignment = alignof(std::max_align_t);

    // Returns nullptr if the rest of the memory is too small.
    [[nodiscard]] void* take(std::size_t size) noexcept {
      const auto needed = (size + alignment - 1) / alignment * alignment;
      if (needed > memory_.size() - used_) {
        return nullptr;
      }
      ++blocks_;
      return memory_.data() + std::exchange(used_, used_ + needed);
    }
    // All memory is free again when no block is left.
    [[nodiscard]] bool give_back(const void* block) noexcept {
      const std::less<const void*> before;
      if (before(block, memory_.data()) || !before(block, memory_.data() + memory_.size())) {
        return false;
      }
      if (--blocks_ == 0) {
        used_ = 0;
      }
      return true;
    }

  private:
    alignas(alignment) std::array<std::byte, 416> memory_;
    std::size_t used_ = 0;  // bytes from the start
    int blocks_ = 0;        // allocated ones
  };

  std::shared_ptr<area> area_ = std::make_shared<area>();
};

}  // namespace zmtp
