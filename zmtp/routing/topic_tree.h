#pragma once
// The topics of a subscription_index, and a tree that finds the topics that are prefixes of a text.

#include "zmtp/routing/keyed_hash.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp {

// The bytes of all topics, one topic after the other, and the data of each topic.
struct topic_texts {
  using topic_id = std::uint32_t;
  static constexpr std::uint32_t none = 0xffff'ffff;

  struct entry {
    std::uint32_t at = 0;  // position in `bytes`; for free entries the next free one
    std::uint32_t size = 0;
    std::uint32_t first = none;  // first record
    std::uint32_t in_tree =
        none;  // place in a topic_tree; none if the topic is found by its length
  };

  [[nodiscard]] std::string_view operator[](topic_id id) const noexcept {
    return std::string_view{bytes}.substr(topics[id].at, topics[id].size);
  }

  std::string bytes;
  std::vector<entry> topics;
};

// An ordered tree of topics. Finds the topics that are prefixes of a text, for any lengths.
//
// Each topic is a pair of brackets in a sequence: its begin, the brackets of all topics that have
// it as a prefix, its end. The prefixes of a text are the brackets that are open at the text's
// position. The sequence is a treap. Each node counts the open brackets below it. Search, insert
// and erase take a number of steps that grows with the logarithm of the number of topics. Peers do
// not know the key of the priorities, so they cannot make the tree deep.
class topic_tree {
public:
  using topic_id = topic_texts::topic_id;

  // `texts` must outlive the tree. The bytes of a topic must not change while it is in the tree.
  topic_tree(const topic_texts& texts, const keyed_hash& key) noexcept
      : texts_{&texts}, key_{key} {}

  [[nodiscard]] bool empty() const noexcept { return root_ == none; }
  // Allocates memory for one more topic. Throws std::bad_alloc.
  void reserve();
  // Adds a topic that is not in the tree, after reserve(). Returns its place, which is valid until
  // erase().
  [[nodiscard]] std::uint32_t insert(topic_id id) noexcept;
  // Removes the topic at this place. Compares no topics.
  void erase(std::uint32_t place) noexcept;

  // Visits the topics that are prefixes of `text`, longest first, until `visit` returns false.
  // Returns the number of topics that it has looked at.
  template <class Visit>
  std::size_t visit_prefixes(std::string_view text, Visit&& visit) const {
    search<Visit> s{*this, text, visit};
    static_cast<void>(s.up_to_the_text(root_));
    return s.steps;
  }

private:
  // A bracket. The begin of a topic is node 2 * place, its end node 2 * place + 1.
  using link = std::uint32_t;
  static constexpr link none = topic_texts::none;

  struct node {
    link left = none;
    link right = none;
    link up = none;
    std::int32_t sum = 0;   // begins minus ends in the whole subtree
    std::int32_t most = 0;  // maximum of begins minus ends over all suffixes of the subtree
  };

  template <class Visit>
  struct search {
    // Each walks from right to left, and returns false after `visit` has.
    [[nodiscard]] bool up_to_the_text(link n) {
      if (n == none) {
        return true;
      }
      ++steps;
      return tree.before(n, text)
                 ? up_to_the_text(tree.nodes_[n].right) && bracket(n) && whole(tree.nodes_[n].left)
                 : up_to_the_text(tree.nodes_[n].left);
    }
    [[nodiscard]] bool whole(link n) {
      if (n == none) {
        return true;
      }
      ++steps;
      const auto& subtree = tree.nodes_[n];
      if (level + subtree.most <= highest) {
        level += subtree.sum;
        return true;
      }
      return whole(subtree.right) && bracket(n) && whole(subtree.left);
    }
    [[nodiscard]] bool bracket(link n) {
      level += value(n);
      if (level <= highest) {
        return true;
      }
      highest = level;
      return visit(tree.topics_[n / 2]);
    }

    const topic_tree& tree;
    std::string_view text;
    Visit& visit;
    std::size_t steps = 0;
    std::int32_t level = 0;  // begins minus ends so far
    std::int32_t highest = 0;
  };

  [[nodiscard]] static bool begins(link n) noexcept { return n % 2 == 0; }
  [[nodiscard]] static std::int32_t value(link n) noexcept { return begins(n) ? 1 : -1; }
  [[nodiscard]] std::string_view text_of(link n) const noexcept {
    return (*texts_)[topics_[n / 2]];
  }
  // Returns whether the bracket is before this text and all texts with this prefix.
  [[nodiscard]] bool before(link n, std::string_view text) const noexcept;
  // Call after a change of the subtrees.
  void update(link n) noexcept;
  // Splits a subtree into the first brackets, for which `is_left` is true, and the remaining ones.
  template <class IsLeft>
  void split(link n, const IsLeft& is_left, link& left, link& right) noexcept;
  [[nodiscard]] link merge(link left, link right) noexcept;
  void erase_bracket(link n) noexcept;

  const topic_texts* texts_;
  keyed_hash key_;
  std::vector<node> nodes_;
  std::vector<topic_id> topics_;  // by place; for free places the next free one
  std::uint32_t free_ = none;
  link root_ = none;
};

}  // namespace zmtp
