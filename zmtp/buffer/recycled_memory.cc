#include "zmtp/buffer/recycled_memory.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <new>
#include <utility>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ZMTP_ADDRESS_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define ZMTP_ADDRESS_SANITIZER
#endif
#ifdef ZMTP_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(memory, size) ((void)(memory), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(memory, size) ((void)(memory), (void)(size))
#endif

namespace zmtp::recycled_memory {

namespace {

// Four sizes from one power of two to the next, so that rounding adds at most a quarter.
constexpr std::size_t steps = 4;
constexpr std::size_t smallest = 128;

struct size_class {
  std::size_t index;
  std::size_t size;
};

constexpr std::size_t size_at(std::size_t index) noexcept {
  if (index == 0) {
    return smallest + beside;
  }
  const auto below = smallest << ((index - 1) / steps);
  return below + ((index - 1) % steps + 1) * (below / steps) + beside;
}

constexpr size_class class_of(std::size_t size) noexcept {
  if (size <= smallest + beside) {
    return {0, size_at(0)};
  }
  const auto below = std::bit_floor(size - beside - 1);
  const auto step = below / steps;
  const auto number = (size - beside - below + step - 1) / step;
  const auto doublings = static_cast<std::size_t>(std::countr_zero(below / smallest));
  const auto index = doublings * steps + number;
  return {index, size_at(index)};
}

static_assert(class_of(0).index == 0 && class_of(smallest + beside).index == 0);
static_assert(class_of(smallest + beside + 1).index == 1);
static_assert(class_of(1024 + beside).size == 1024 + beside);
static_assert(class_of(1025 + beside).size == 1280 + beside);
static_assert(class_of(largest).size == largest);

// The free memory of a thread: one list per size, linked through the memory itself. Trivially
// destructible, so that a block that outlives the thread's own objects finds it closed and not
// destroyed.
class shelves {
public:
  void count(size_class of) noexcept { in_use_ += of.size; }
  [[nodiscard]] void* take(size_class of) noexcept {
    return first_[of.index] != nullptr ? pop(of) : nullptr;
  }

  // Returns false if the limit is reached with this size alone. Otherwise frees other sizes first,
  // because they may no longer be in use.
  [[nodiscard]] bool put(void* memory, size_class of) noexcept {
    in_use_ -= std::min(in_use_, of.size);
    const auto most = std::clamp(in_use_ / 2, kept, kept_at_most);
    while (bytes_ + of.size > most) {
      if (!drop_one_but(of)) {
        shrink(of, most);
        return false;
      }
    }
    first_[of.index] = new (memory) link{first_[of.index]};
    ASAN_POISON_MEMORY_REGION(memory, of.size);
    bytes_ += of.size;
    return true;
  }

  enum class state { unused, open, closed };
  [[nodiscard]] state now() const noexcept { return now_; }
  void open() noexcept { now_ = state::open; }
  void close() noexcept {
    while (drop_one_but({first_.size(), 0})) {
    }
    now_ = state::closed;
  }

private:
  struct link {
    link* next;
  };

  [[nodiscard]] void* pop(size_class of) noexcept {
    auto* const first = first_[of.index];
    ASAN_UNPOISON_MEMORY_REGION(first, of.size);
    first_[of.index] = first->next;
    bytes_ -= of.size;
    return first;
  }

  // Frees memory of the only size that is left. The limit decreases with the bytes in use.
  void shrink(size_class of, std::size_t most) noexcept {
    while (bytes_ > most) {
      ::operator delete(pop(of));
    }
  }

  [[nodiscard]] bool drop_one_but(size_class spared) noexcept {
    for (std::size_t tried = 0; tried < first_.size(); ++tried) {
      next_ = (next_ + 1) % first_.size();
      if (next_ != spared.index && first_[next_] != nullptr) {
        ::operator delete(pop({next_, size_at(next_)}));
        return true;
      }
    }
    return false;
  }

  std::array<link*, class_of(largest).index + 1> first_{};
  std::size_t bytes_ = 0;
  std::size_t in_use_ = 0;  // allocated minus released by this thread; blocks cross threads
  std::size_t next_ = 0;    // index of the size to free next
  state now_ = state::unused;
};

thread_local constinit shelves mine;

// Closes the thread's lists when the thread ends.
struct closer {
  closer() noexcept { mine.open(); }
  closer(const closer&) = delete;
  closer& operator=(const closer&) = delete;
  ~closer() { mine.close(); }
};

void close_mine_at_end_of_thread() noexcept { thread_local const closer at_end_of_thread; }

}  // namespace

void* allocate(std::size_t size) {
  if (size > largest) {
    return ::operator new(size);
  }
  const auto of = class_of(size);
  auto* memory = mine.take(of);
  if (memory == nullptr) {
    if (mine.now() == shelves::state::unused) {
      close_mine_at_end_of_thread();
    }
    memory = ::operator new(of.size);
  }
  mine.count(of);
  return memory;
}

void release(void* memory, std::size_t size) noexcept {
  // A thread that never allocates keeps nothing. At exit, the main thread cannot open its lists
  // again, because nothing would close them.
  if (size <= largest && mine.now() == shelves::state::open && mine.put(memory, class_of(size))) {
    return;
  }
  ::operator delete(memory);
}

}  // namespace zmtp::recycled_memory
