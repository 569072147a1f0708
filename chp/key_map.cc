#include "chp/key_map.h"

#include <utility>

namespace chp {

errc key_map::set(std::string_view key, std::string_view value, sequence number) {
  // Snapshots of servers of ours are in order.
  const bool last = entries_.empty() || entries_.rbegin()->first < key;
  const auto at = last ? entries_.end() : entries_.lower_bound(key);
  const bool there = at != entries_.end() && at->first == key;
  const auto before = there ? at->second.value.size() : 0;
  const auto more = there ? value.size() : key.size() + value.size();
  if (!there && entries_.size() >= most_keys_) {
    return errc::too_many_keys;
  }
  if (more > before && octets_ - before + more > most_octets_) {
    return errc::too_many_octets;
  }
  if (there) {
    at->second.value.assign(value);
    at->second.number = number;
  } else {
    entries_.emplace_hint(at, std::string{key}, entry{std::string{value}, number});
  }
  octets_ += more;
  octets_ -= before;
  return {};
}

bool key_map::erase(std::string_view key) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) {
    return false;
  }
  octets_ -= found->first.size() + found->second.value.size();
  entries_.erase(found);
  return true;
}

const key_map::entry* key_map::find(std::string_view key) const {
  const auto found = entries_.find(key);
  return found == entries_.end() ? nullptr : &found->second;
}

void key_map::clear() noexcept {
  entries_.clear();
  octets_ = 0;
}

void key_map::swap(key_map& with) noexcept {
  entries_.swap(with.entries_);
  std::swap(octets_, with.octets_);
}

}  // namespace chp
