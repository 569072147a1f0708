#pragma once
// A pool of objects of one type with stable addresses. The pool reuses memory, so it allocates only
// when it grows beyond its previous maximum.

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace mdp {

// bench/micro/broker_containers.cc compares the pool with Boost's, with 10,000 requests (AMD EPYC).
// boost::object_pool replaces one request as fast, in 37 ns. If all requests end together, it takes
// 9,300 ns for each, and this pool 39 ns. It cannot visit its objects. `new` and `delete` take 54 ns,
// and allocate each time.
template <class T>
class pool {
public:
  pool() = default;
  pool(const pool&) = delete;
  pool& operator=(const pool&) = delete;
  ~pool() {
    for_each([](T& object) { std::destroy_at(&object); });
  }

  template <class... Args>
  [[nodiscard]] T& create(Args&&... args) {
    if (free_ == nullptr) {
      grow();
    }
    auto* taken = free_;
    auto* object =
        std::construct_at(reinterpret_cast<T*>(taken->storage), std::forward<Args>(args)...);
    free_ = std::exchange(taken->next, nullptr);
    taken->live = true;
    ++size_;
    return *object;
  }

  void destroy(T& object) noexcept {
    // The storage is the first member of the slot, so both have the same address.
    auto* left = reinterpret_cast<slot*>(&object);
    std::destroy_at(&object);
    left->live = false;
    left->next = std::exchange(free_, left);
    --size_;
  }

  // Visits all objects, in no particular order. `visit` may destroy the visited object and must not
  // create one.
  template <class Visitor>
  void for_each(Visitor visit) {
    for (auto& chunk : chunks_) {
      for (std::size_t i = 0; i < chunk_size; ++i) {
        if (chunk[i].live) {
          visit(*chunk[i].object());
        }
      }
    }
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

private:
  static constexpr std::size_t chunk_size = 64;

  struct slot {
    alignas(T) std::byte storage[sizeof(T)];
    slot* next;
    bool live;

    T* object() noexcept { return std::launder(reinterpret_cast<T*>(storage)); }
  };

  void grow() {
    chunks_.reserve(chunks_.size() + 1);
    chunks_.push_back(std::make_unique<slot[]>(chunk_size));
    for (std::size_t i = chunk_size; i-- != 0;) {
      auto& added = chunks_.back()[i];
      added.live = false;
      added.next = std::exchange(free_, &added);
    }
  }

  std::vector<std::unique_ptr<slot[]>> chunks_;
  slot* free_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace mdp
