#include "zmtp/routing/topic_tree.h"

#include <algorithm>

namespace zmtp {

bool topic_tree::before(link n, std::string_view text) const noexcept {
  const auto topic = text_of(n);
  const auto order = topic.substr(0, text.size()).compare(text.substr(0, topic.size()));
  return order < 0 || (order == 0 && topic.size() <= text.size() && begins(n));
}

void topic_tree::update(link n) noexcept {
  static constexpr node nothing;
  const auto adopted = [&](link child) -> const node& {
    if (child == none) {
      return nothing;
    }
    nodes_[child].up = n;
    return nodes_[child];
  };
  auto& own = nodes_[n];
  const auto& left = adopted(own.left);
  const auto& right = adopted(own.right);
  const auto without_left = right.sum + value(n);
  own.sum = left.sum + without_left;
  own.most = std::max(right.most, without_left + left.most);
}

template <class IsLeft>
void topic_tree::split(link n, const IsLeft& is_left, link& left, link& right) noexcept {
  if (n == none) {
    left = right = none;
    return;
  }
  if (is_left(n)) {
    split(nodes_[n].right, is_left, nodes_[n].right, right);
    left = n;
  } else {
    split(nodes_[n].left, is_left, left, nodes_[n].left);
    right = n;
  }
  update(n);
}

topic_tree::link topic_tree::merge(link left, link right) noexcept {
  if (left == none || right == none) {
    return left == none ? right : left;
  }
  if (key_(left) > key_(right)) {
    nodes_[left].right = merge(nodes_[left].right, right);
    update(left);
    return left;
  }
  nodes_[right].left = merge(left, nodes_[right].left);
  update(right);
  return right;
}

void topic_tree::reserve() {
  if (free_ == none) {
    nodes_.resize(2 * topics_.size() + 2);
    topics_.push_back(none);
    free_ = static_cast<std::uint32_t>(topics_.size() - 1);
  }
}

std::uint32_t topic_tree::insert(topic_id id) noexcept {
  const auto place = free_;
  free_ = topics_[place];
  topics_[place] = id;
  const link begin = 2 * place;
  const link end = begin + 1;
  for (const auto n : {begin, end}) {
    nodes_[n] = {};
    update(n);
  }
  const auto topic = (*texts_)[id];
  link left = none;
  link within = none;
  link right = none;
  split(
      root_, [&](link n) { return before(n, topic); }, left, right);
  split(
      right, [&](link n) { return text_of(n).starts_with(topic); }, within, right);
  root_ = merge(merge(left, begin), merge(merge(within, end), right));
  nodes_[root_].up = none;
  return place;
}

void topic_tree::erase(std::uint32_t place) noexcept {
  erase_bracket(2 * place);
  erase_bracket(2 * place + 1);
  topics_[place] = free_;
  free_ = place;
}

void topic_tree::erase_bracket(link n) noexcept {
  const auto joined = merge(nodes_[n].left, nodes_[n].right);
  auto above = nodes_[n].up;
  if (above == none) {
    root_ = joined;
    if (joined != none) {
      nodes_[joined].up = none;
    }
    return;
  }
  (nodes_[above].left == n ? nodes_[above].left : nodes_[above].right) = joined;
  for (; above != none; above = nodes_[above].up) {
    update(above);
  }
}

}  // namespace zmtp
