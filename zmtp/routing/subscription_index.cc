#include "zmtp/routing/subscription_index.h"

#include <new>

namespace zmtp {

namespace {

constexpr std::size_t max_bytes = 0xffff'ffff;  // limit of the offsets of topics

}  // namespace

subscription_index::subscription_index(std::uint64_t seed)
    : key_{seed},
      by_bytes_{0, topic_hash{this}, topic_equal{this}},
      memberships_{0, record_hash{this}, record_equal{this}},
      tree_{texts_, key_} {}

std::size_t subscription_index::topic_hash::operator()(topic_id id) const noexcept {
  return index->key_(index->bytes_of(id));
}

std::size_t subscription_index::record_hash::operator()(const membership& m) const noexcept {
  return index->key_(std::uint64_t{m.of} << 32 | m.peer);
}

std::size_t subscription_index::record_hash::operator()(std::uint32_t record) const noexcept {
  const auto& r = index->records_[record];
  return (*this)(membership{r.of, r.peer});
}

bool subscription_index::subscribe(slot peer, std::string_view topic) {
  if (contains(peer, topic)) {
    return false;
  }
  if (peer >= peers_.size()) {
    peers_.resize(peer + 1);
  }
  const auto r = new_record();
  const auto id = topic_for(topic);
  records_[r].of = id;
  records_[r].peer = peer;
  try {
    memberships_.insert(r);
  } catch (const std::bad_alloc&) {
    if (texts_.topics[id].first == none) {
      drop_topic(id);
    }
    throw;
  }
  free_record_ = records_[r].next_of_topic;
  link(r);
  ++version_;
  return true;
}

// Returns the first free record, which stays free until it is linked.
std::uint32_t subscription_index::new_record() {
  if (free_record_ == none) {
    records_.emplace_back();
    free_record_ = static_cast<std::uint32_t>(records_.size() - 1);
  }
  return free_record_;
}

void subscription_index::link(std::uint32_t r) noexcept {
  auto& added = records_[r];
  auto& of_topic = texts_.topics[added.of].first;
  auto& of_peer = peers_[added.peer];
  added.next_of_topic = of_topic;
  added.previous_of_topic = none;
  added.next_of_peer = of_peer.first;
  added.previous_of_peer = none;
  if (of_topic != none) {
    records_[of_topic].previous_of_topic = r;
  }
  if (of_peer.first != none) {
    records_[of_peer.first].previous_of_peer = r;
  }
  of_topic = r;
  of_peer.first = r;
  ++of_peer.count;
  of_peer.bytes += texts_.topics[added.of].size;
}

bool subscription_index::cancel(slot peer, std::string_view topic) {
  const auto found = by_bytes_.find(hash_of(topic));
  if (found == by_bytes_.end()) {
    return false;
  }
  const auto member = memberships_.find(membership{*found, peer});
  if (member == memberships_.end()) {
    return false;
  }
  drop_record(*member);
  return true;
}

bool subscription_index::contains(slot peer, std::string_view topic) const {
  const auto found = by_bytes_.find(hash_of(topic));
  return found != by_bytes_.end() && memberships_.contains(membership{*found, peer});
}

bool subscription_index::contains(std::string_view topic) const {
  return by_bytes_.contains(hash_of(topic));
}

std::optional<std::string_view> subscription_index::newest_of(slot peer) const noexcept {
  if (peer >= peers_.size() || peers_[peer].first == none) {
    return std::nullopt;
  }
  return bytes_of(records_[peers_[peer].first].of);
}

void subscription_index::remove(slot peer) noexcept {
  if (peer >= peers_.size()) {
    return;
  }
  while (peers_[peer].first != none) {
    drop_record(peers_[peer].first);
  }
}

template <class Visit>
std::size_t subscription_index::visit_matches(std::string_view part, Visit&& visit) const {
  std::size_t looked_at = 0;
  if (everything_ != none) {
    ++looked_at;
    if (!visit(everything_)) {
      return looked_at;
    }
  }
  keyed_hash::walk prefixes{key_, part};
  for (const auto& [length, count] : lengths_) {
    if (length > part.size()) {
      break;
    }
    ++looked_at;
    const auto found = by_bytes_.find(hashed{prefixes.to(length), part.substr(0, length)});
    if (found != by_bytes_.end() && texts_.topics[*found].in_tree == none && !visit(*found)) {
      return looked_at;
    }
  }
  if (!tree_.empty()) {
    // The longest match represents all other matches in the tree.
    looked_at += tree_.visit_prefixes(part, [&](topic_id topic) {
      visit(topic);
      return false;
    });
  }
  return looked_at;
}

std::size_t subscription_index::match(std::string_view part, std::vector<topic_id>& to) const {
  return visit_matches(part, [&](topic_id topic) {
    to.push_back(topic);
    return true;
  });
}

bool subscription_index::has_place(std::size_t length) const noexcept {
  const auto key = static_cast<std::uint32_t>(length);
  const auto longer = lengths_.end() - lengths_.upper_bound(short_topic);
  return length <= short_topic || static_cast<std::size_t>(longer) < long_lengths ||
         lengths_.contains(key);
}

bool subscription_index::matches(std::string_view part) const {
  bool any = false;
  visit_matches(part, [&](topic_id) {
    any = true;
    return false;
  });
  return any;
}

// Returns the topic with these bytes, perhaps a new one without records. Without memory, throws and
// changes only free capacity.
subscription_index::topic_id subscription_index::topic_for(std::string_view bytes) {
  const auto key = hash_of(bytes);
  if (const auto found = by_bytes_.find(key); found != by_bytes_.end()) {
    return *found;
  }
  if (texts_.bytes.size() + bytes.size() > max_bytes) {
    throw std::bad_alloc{};
  }
  const bool by_length = has_place(bytes.size());
  if (by_length) {
    lengths_.reserve(lengths_.size() + 1);
  } else {
    tree_.reserve();
  }
  if (free_topic_ == none) {
    texts_.topics.emplace_back().at = none;
    free_topic_ = static_cast<topic_id>(texts_.topics.size() - 1);
  }
  const auto length = static_cast<std::uint32_t>(bytes.size());
  const auto at = texts_.bytes.size();
  texts_.bytes += bytes;
  const auto id = free_topic_;
  const auto next_free = texts_.topics[id].at;
  texts_.topics[id] = {.at = static_cast<std::uint32_t>(at), .size = length};
  try {
    by_bytes_.insert(id);
  } catch (const std::bad_alloc&) {
    texts_.bytes.resize(at);
    texts_.topics[id] = {.at = next_free, .size = 0};
    throw;
  }
  free_topic_ = next_free;
  if (bytes.empty()) {
    everything_ = id;
  } else if (by_length) {
    ++lengths_[length];
  } else {
    texts_.topics[id].in_tree = tree_.insert(id);
  }
  return id;
}

void subscription_index::drop_topic(topic_id id) noexcept {
  auto& t = texts_.topics[id];
  by_bytes_.erase(id);
  if (id == everything_) {
    everything_ = none;
  } else if (t.in_tree != none) {
    tree_.erase(t.in_tree);
  } else if (const auto length = lengths_.find(t.size); --length->second == 0) {
    lengths_.erase(length);
  }
  dead_bytes_ += t.size;
  t = {.at = free_topic_, .size = 0};
  free_topic_ = id;
  if (dead_bytes_ > texts_.bytes.size() / 2) {
    squeeze();
  }
}

void subscription_index::drop_record(std::uint32_t r) noexcept {
  memberships_.erase(r);
  const auto gone = records_[r];
  if (gone.next_of_topic != none) {
    records_[gone.next_of_topic].previous_of_topic = gone.previous_of_topic;
  }
  if (gone.next_of_peer != none) {
    records_[gone.next_of_peer].previous_of_peer = gone.previous_of_peer;
  }
  (gone.previous_of_topic != none ? records_[gone.previous_of_topic].next_of_topic
                                  : texts_.topics[gone.of].first) = gone.next_of_topic;
  (gone.previous_of_peer != none ? records_[gone.previous_of_peer].next_of_peer
                                 : peers_[gone.peer].first) = gone.next_of_peer;
  --peers_[gone.peer].count;
  peers_[gone.peer].bytes -= texts_.topics[gone.of].size;
  records_[r].next_of_topic = free_record_;
  free_record_ = r;
  ++version_;
  if (texts_.topics[gone.of].first == none) {
    drop_topic(gone.of);
  }
}

// Half of the bytes belong to removed topics. If there is no memory for the copy, a later call
// tries again.
void subscription_index::squeeze() noexcept {
  std::string kept;
  try {
    kept.reserve(texts_.bytes.size() - dead_bytes_);
  } catch (const std::bad_alloc&) {
    return;
  }
  for (const auto id : by_bytes_) {
    const auto bytes = bytes_of(id);
    const auto at = static_cast<std::uint32_t>(kept.size());
    kept += bytes;
    texts_.topics[id].at = at;
  }
  texts_.bytes = std::move(kept);
  dead_bytes_ = 0;
}

}  // namespace zmtp
