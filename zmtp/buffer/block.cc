#include "zmtp/buffer/block.h"

#include "zmtp/buffer/recycled_memory.h"

#include <new>

namespace zmtp {

namespace {

// The header and the bytes in one allocation.
class plain_block final : public block {
public:
  explicit plain_block(std::size_t capacity) noexcept : block{&destroy} {
    refer_to(reinterpret_cast<std::byte*>(this + 1), capacity);
  }

private:
  static void destroy(block* self) noexcept {
    const auto size = self->capacity();
    static_cast<plain_block*>(self)->~plain_block();
    recycled_memory::release(self, sizeof(plain_block) + size);
  }
};

}  // namespace

block* block::create(std::size_t capacity) {
  if (capacity > static_cast<std::size_t>(-1) / 2) {
    throw std::bad_alloc{};
  }
  return new (recycled_memory::allocate(sizeof(plain_block) + capacity)) plain_block{capacity};
}

}  // namespace zmtp
