#include "chp/pending_updates.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace chp {

namespace {

// With its places in the list and in the index.
std::size_t size_of(const pending_update& one) noexcept {
  return one.content.memory_size() + sizeof(pending_update) + 4 * sizeof(void*);
}

}  // namespace

bool pending_updates::add(zmtp::message&& content, const update_id& id, time_point now) {
  if (!id.empty() && by_id_.contains(id)) {
    return false;
  }
  content.compact();
  auto& to = list_of(id);
  to.push_back({std::move(content), id, now, next_order_++});
  const auto added = std::prev(to.end());
  octets_ += size_of(*added);
  if (!id.empty()) {
    by_id_.emplace(id, added);
  }
  make_room();
  return true;
}

void pending_updates::make_room() {
  while (octets_ > most_octets_ && size() != 0) {
    auto& from = sessions_.empty() ? others_ : sessions_;
    if (const auto& id = from.front().id; !id.empty()) {
      by_id_.erase(id);
    }
    drop(from.begin());
    ++dropped_;
  }
}

void pending_updates::drop(place at) noexcept {
  octets_ -= size_of(*at);
  list_of(at->id).erase(at);
}

void pending_updates::confirm(const update_id& id) {
  if (const auto found = by_id_.find(id); found != by_id_.end()) {
    drop(found->second);
    by_id_.erase(found);
  }
}

std::vector<pending_update> pending_updates::take() {
  std::vector<pending_update> all;
  all.reserve(size());
  for (auto* list : {&sessions_, &others_}) {
    std::move(list->begin(), list->end(), std::back_inserter(all));
    list->clear();
  }
  by_id_.clear();
  octets_ = 0;
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.order < b.order; });
  return all;
}

}  // namespace chp
