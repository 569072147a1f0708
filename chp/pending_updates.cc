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
  bytes_ += size_of(*added);
  if (!id.empty()) {
    by_id_.insert({added});
  }
  make_room();
  return true;
}

void pending_updates::make_room() {
  while (bytes_ > most_bytes_ && size() != 0) {
    auto& from = sessions_.empty() ? others_ : sessions_;
    drop(from.begin());
    ++dropped_;
  }
}

void pending_updates::drop(update_list::iterator at) noexcept {
  if (!at->id.empty()) {
    by_id_.erase(at->id);
  }
  for (auto* unseen : {&unseen_sessions_, &unseen_others_}) {
    if (*unseen == at) {
      ++*unseen;
    }
  }
  bytes_ -= size_of(*at);
  list_of(at->id).erase(at);
}

void pending_updates::confirm(const update_id& id) {
  if (const auto* const found = by_id_.find(id)) {
    drop(found->of);
  }
}

std::vector<pending_update> pending_updates::take() {
  std::vector<pending_update> all;
  all.reserve(size());
  for (auto* list : {&sessions_, &others_}) {
    std::move(list->begin(), list->end(), std::back_inserter(all));
  }
  by_id_.clear();
  for (auto* list : {&sessions_, &others_}) {
    list->clear();
  }
  begin_forgetting();
  bytes_ = 0;
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.order < b.order; });
  return all;
}

}  // namespace chp
