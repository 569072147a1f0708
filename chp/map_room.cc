#include "chp/map_room.h"

#include <algorithm>

namespace chp {

namespace {
constexpr std::size_t least_changed_keys = 100'000;
}  // namespace

map_room::map_room(const store_limits& limits) noexcept
    : limits_{limits}, most_changed_{least_changed_keys} {}

errc map_room::check(const history& of, std::string_view key, std::string_view value) {
  const auto& map = of.map();
  const auto added = key.size() + value.size();
  const auto& log = of.log();
  const auto unpublished = of.end() == of.published() ? 0 : log.entries();
  const auto unpublished_bytes = of.end() == of.published() ? 0 : log.memory();
  if (map.keys() + unpublished < limits_.max_keys &&
      map.bytes() + unpublished_bytes + added <= limits_.max_bytes) {
    return {};
  }
  count_to_end(of);
  const auto before = state_of(of, key).bytes;
  if (before == 0 && keys_ >= limits_.max_keys) {
    return errc::too_many_keys;
  }
  return added > before && bytes_ - before + added > limits_.max_bytes ? errc::too_many_bytes
                                                                       : errc{};
}

void map_room::count_to_end(const history& of) {
  const bool begins_again = counted_ <= of.published() || changed_.size() > most_changed_;
  if (begins_again) {
    changed_.clear();
    keys_ = of.map().keys();
    bytes_ = of.map().bytes();
    at_ = of.published_at();
  }
  for (log_entry e; of.log().read(at_, e);) {
    count(of, e);
  }
  counted_ = of.end();
  if (begins_again) {
    // Otherwise each further update would count a long backlog again.
    most_changed_ = std::max(least_changed_keys, 2 * changed_.size());
  }
}

void map_room::count(const history& of, const log_entry& e) {
  if (e.kind == entry_kind::reign || e.kind == entry_kind::refusal) {
    return;
  }
  const auto before = state_of(of, e.key);
  if (e.kind == entry_kind::expiry && before.number != e.argument) {
    return;  // the value was replaced
  }
  const auto after = e.kind == entry_kind::set ? e.key.size() + e.value.size() : 0;
  keys_ = keys_ + (after != 0 ? 1U : 0U) - (before.bytes != 0 ? 1U : 0U);
  bytes_ = bytes_ + after - before.bytes;
  changed_[std::string{e.key}] = {after, e.number};
}

map_room::state map_room::state_of(const history& of, std::string_view key) const {
  if (const auto found = changed_.find(std::string{key}); found != changed_.end()) {
    return found->second;
  }
  const auto* const in_map = of.map().find(key);
  return in_map == nullptr ? state{}
                           : state{in_map->key().size() + in_map->value().size(), in_map->number()};
}

}  // namespace chp
