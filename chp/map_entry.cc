#include "chp/map_entry.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace chp {

namespace {

// Returns the size of the heap's block for a size: a multiple of sixteen with eight bytes of
// overhead.
constexpr std::size_t block_size(std::size_t size) noexcept {
  return std::max<std::size_t>((size + 7) / 16 * 16 + 8, 24);
}

std::size_t size_of(bool is_expiring, std::size_t payload) noexcept {
  return block_size((is_expiring ? sizeof(expiring_entry) : sizeof(map_entry)) + payload);
}

}  // namespace

map_entry::ptr map_entry::make(const map_change& to, sequence at) {
  const bool is_expiring = to.deadline.has_value();
  void* const memory = ::operator new(size_of(is_expiring, to.key.size() + to.value.size()));
  ptr made;
  if (is_expiring) {
    auto* const m = new (memory) expiring_entry;
    m->until = *to.deadline;
    m->full = to.ttl;
    made.reset(m);
  } else {
    made.reset(new (memory) map_entry);
  }
  made->is_expiring_ = is_expiring;
  made->number_ = at;
  made->id_ = to.id;
  made->key_size_ = static_cast<std::uint8_t>(to.key.size());
  std::copy(to.key.begin(), to.key.end(), made->bytes());
  made->put_value(to.value);
  return made;
}

bool map_entry::fits(const map_change& to) const noexcept {
  return is_expiring_ == to.deadline.has_value() &&
         size_of(is_expiring_, payload()) == size_of(is_expiring_, to.key.size() + to.value.size());
}

void map_entry::overwrite(const map_change& to, sequence at) noexcept {
  number_ = at;
  id_ = to.id;
  put_value(to.value);
  if (is_expiring_) {
    auto& m = static_cast<expiring_entry&>(*this);
    m.until = *to.deadline;
    m.full = to.ttl;
  }
}

char* map_entry::bytes() noexcept { return const_cast<char*>(std::as_const(*this).bytes()); }

// `value` may be a view of the old value.
void map_entry::put_value(std::string_view value) noexcept {
  value_size_ = static_cast<std::uint32_t>(value.size());
  if (!value.empty()) {
    std::memmove(bytes() + key_size_, value.data(), value.size());
  }
}

}  // namespace chp
