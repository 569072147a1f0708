#pragma once
// Memory of an object for one asynchronous wait of its own, so that the wait cannot fail without
// memory.

#include <array>
#include <cstddef>
#include <memory>

namespace zmtp {

// Gives its memory to one operation at a time. Uses the heap for a larger operation, and while the
// memory is in use.
class reserved_memory {
public:
  // For boost::asio::bind_allocator.
  template <class T>
  class allocator {
  public:
    using value_type = T;

    explicit allocator(reserved_memory& from) noexcept : from_{&from} {}
    template <class U>
    allocator(const allocator<U>& other) noexcept
        : from_{other.from_} {}  // NOLINT: allocators convert implicitly

    [[nodiscard]] T* allocate(std::size_t count) {
      auto* const reserved = alignof(T) <= alignment ? from_->take(count * sizeof(T)) : nullptr;
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

    reserved_memory* from_;
  };

  reserved_memory() noexcept = default;
  reserved_memory(const reserved_memory&) = delete;
  reserved_memory& operator=(const reserved_memory&) = delete;

  [[nodiscard]] allocator<void*> get_allocator() noexcept { return allocator<void*>{*this}; }

private:
  static constexpr std::size_t alignment = alignof(std::max_align_t);

  // Returns nullptr if the memory is in use or too small.
  [[nodiscard]] void* take(std::size_t size) noexcept {
    if (in_use_ || size > memory_.size()) {
      return nullptr;
    }
    in_use_ = true;
    return memory_.data();
  }
  [[nodiscard]] bool give_back(const void* memory) noexcept {
    if (memory != memory_.data()) {
      return false;
    }
    in_use_ = false;
    return true;
  }

  alignas(alignment) std::array<std::byte, 384> memory_;
  bool in_use_ = false;
};

}  // namespace zmtp
