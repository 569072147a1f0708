#include "chp/past_entries.h"

#include <algorithm>

namespace chp {

past_entries::view& past_entries::open(sequence at, std::string_view subtree) {
  auto opened = std::make_unique<view>();
  opened->at = at;
  opened->subtree = subtree;
  open_.push_back(opened.get());
  return *opened.release();
}

void past_entries::close(view& v) noexcept {
  open_.erase(std::find(open_.begin(), open_.end(), &v));
  if (v.needs == nullptr) {
    delete &v;
  } else {
    v.next_ended = std::exchange(ended_, &v);
  }
}

void past_entries::add(map_entry::ptr e, version_ptr in, sequence end) noexcept {
  if (in == nullptr) {
    return;
  }
  auto& kept = *in.release();
  kept.of = e.release();
  kept.end = end;
  all_.insert(kept);
  ++count_;
  bytes_ += kept.of->payload();
  // The newest is the last to have it.
  auto& by = *open_.back();
  kept.next = std::exchange(by.needs, &kept);
}

void past_entries::free(version& v) noexcept {
  const map_entry::ptr e{v.of};
  all_.erase(version_tree::s_iterator_to(v));
  --count_;
  bytes_ -= e->payload();
  delete &v;
}

bool past_entries::tidy(std::size_t most) noexcept {
  for (; ended_ != nullptr && most != 0; --most) {
    auto& v = *ended_->needs;
    ended_->needs = v.next;
    // An entry that was replaced after this view was opened was also replaced after older views
    // were opened. So the next older view needs the entry too, if the entry existed by then.
    const auto newer = std::upper_bound(open_.begin(), open_.end(), ended_->at,
                                        [](sequence at, const view* o) { return at < o->at; });
    if (newer != open_.begin() && (*std::prev(newer))->at >= v.of->number()) {
      auto& older = **std::prev(newer);
      v.next = std::exchange(older.needs, &v);
    } else {
      free(v);
    }
    if (ended_->needs == nullptr) {
      delete std::exchange(ended_, ended_->next_ended);
    }
  }
  return ended_ == nullptr;
}

past_entries::reader::reader(const map_orders::by_key& now, const past_entries& past,
                             view& v) noexcept
    : view_{v},
      entry_{v.read_size == 0 ? now.lower_bound(std::string_view{v.subtree})
                              : now.upper_bound(v.read())},
      entries_end_{now.end()},
      version_{past.all_.lower_bound(v.read_size == 0
                                         ? std::pair{std::string_view{v.subtree}, sequence{0}}
                                         : std::pair{v.read(), max_sequence + 1})},
      versions_end_{past.all_.end()} {}

past_entries::reader::~reader() {
  if (!last_.empty()) {
    view_.read_size = static_cast<std::uint8_t>(last_.size());
    std::copy(last_.begin(), last_.end(), view_.read_key.begin());
  }
}

const map_entry* past_entries::reader::step() noexcept {
  const auto is_in_subtree = [&](std::string_view key) { return key.starts_with(view_.subtree); };
  const bool has_entry = entry_ != entries_end_ && is_in_subtree(entry_->key());
  const bool has_version = version_ != versions_end_ && is_in_subtree(version_->of->key());
  if (!has_entry && !has_version) {
    view_.at_end = true;
    return nullptr;
  }
  last_ = !has_version                          ? entry_->key()
          : !has_entry                          ? version_->of->key()
          : version_->of->key() < entry_->key() ? version_->of->key()
                                                : entry_->key();
  const map_entry* found = nullptr;
  for (; version_ != versions_end_ && version_->of->key() == last_; ++version_) {
    if (version_->of->number() <= view_.at && view_.at < version_->end) {
      found = version_->of;
    }
  }
  if (has_entry && entry_->key() == last_) {
    if (entry_->number() <= view_.at) {
      found = &*entry_;
    }
    ++entry_;
  }
  return found;
}

}  // namespace chp
