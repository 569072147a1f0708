#pragma once
// A compact index of topics that finds the peers whose subscriptions match a message.

#include "zmtp/routing/keyed_hash.h"
#include "zmtp/routing/topic_tree.h"

#include <boost/container/flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zmtp {

// A set of topics for each peer, so subscribing twice has no effect. A topic matches if it is a
// prefix of the message's first part.
//
// match() hashes the part once, and then looks into one table for each length of the topics that
// are found by their length. These are the lengths up to `short_topic` and up to `long_lengths`
// other ones. Topics of further lengths are in a tree. A match therefore takes at most max_matches
// lookups and one search in the tree, for any topics and lengths. The bytes of topics are stored
// one after the other.
class subscription_index {
public:
  using slot = std::uint32_t;
  using topic_id = topic_texts::topic_id;

  static constexpr std::size_t short_topic = 32;  // bytes
  static constexpr std::size_t long_lengths = 8;  // the first ones that occur
  // Maximum number of ids that match() appends: the empty topic, one per length, one of the tree.
  static constexpr std::size_t max_matches = 1 + short_topic + long_lengths + 1;

  // Use a random `seed` if untrusted peers choose the topics.
  explicit subscription_index(std::uint64_t seed = 0);
  subscription_index(const subscription_index&) = delete;
  subscription_index& operator=(const subscription_index&) = delete;

  // Returns false if the peer already has the topic. Throws std::bad_alloc, without an effect.
  bool subscribe(slot peer, std::string_view topic);
  // Returns false if the peer does not have the topic.
  bool cancel(slot peer, std::string_view topic);
  [[nodiscard]] bool contains(slot peer, std::string_view topic) const;
  // Returns whether any peer has exactly this topic.
  [[nodiscard]] bool contains(std::string_view topic) const;
  // Returns the peer's newest topic, or nothing if the peer has no topics. Valid until the next
  // change.
  [[nodiscard]] std::optional<std::string_view> newest_of(slot peer) const noexcept;
  // Removes all topics of the peer. Takes time proportional to their number.
  void remove(slot peer) noexcept;

  // Appends the matching topics, shorter ones first. Each of them has subscribers. The longest
  // match in the tree represents all matches in the tree. Returns the number of topics that the
  // index has looked at.
  std::size_t match(std::string_view part, std::vector<topic_id>& to) const;
  // Returns whether any topic matches.
  [[nodiscard]] bool matches(std::string_view part) const;
  // Returns whether any peer has the empty topic, which matches every part.
  [[nodiscard]] bool matches_all() const noexcept { return everything_ != none; }
  // Returns whether the same topics match every part: the empty one, or none.
  [[nodiscard]] bool parts_match_alike() const noexcept {
    return lengths_.empty() && tree_.empty();
  }
  // Visits the peers of a topic and of the topics that it represents, in no order.
  template <class Visit>
  void for_each_subscriber(topic_id topic, Visit&& visit) const {
    const auto visit_own = [&](topic_id id) {
      for (auto i = texts_.topics[id].first; i != none; i = records_[i].next_of_topic) {
        visit(records_[i].peer);
      }
      return true;
    };
    if (texts_.topics[topic].in_tree == none) [[likely]] {
      visit_own(topic);
    } else {
      tree_.visit_prefixes(texts_[topic], visit_own);
    }
  }

  [[nodiscard]] std::size_t subscriptions() const noexcept { return memberships_.size(); }
  [[nodiscard]] std::size_t subscriptions_of(slot peer) const noexcept {
    return peer < peers_.size() ? peers_[peer].count : 0;
  }
  // Bytes of all topics of this peer.
  [[nodiscard]] std::size_t topic_bytes_of(slot peer) const noexcept {
    return peer < peers_.size() ? peers_[peer].bytes : 0;
  }
  // Changes with every change of the index, so that callers can reuse a match.
  [[nodiscard]] std::uint64_t version() const noexcept { return version_; }

private:
  static constexpr std::uint32_t none = topic_texts::none;

  // One subscription of one peer to one topic.
  struct record {
    topic_id of = 0;
    slot peer = 0;
    std::uint32_t next_of_topic = none;
    std::uint32_t previous_of_topic = none;
    std::uint32_t next_of_peer = none;
    std::uint32_t previous_of_peer = none;
  };
  struct peer_records {
    std::uint32_t first = none;
    std::uint32_t count = 0;
    std::size_t bytes = 0;
  };

  struct hashed {
    std::uint64_t hash;
    std::string_view bytes;
  };
  struct topic_hash {
    using is_transparent = void;
    using is_avalanching = void;  // the hash is good, so the table does not mix it again
    const subscription_index* index;
    std::size_t operator()(topic_id id) const noexcept;
    std::size_t operator()(const hashed& key) const noexcept { return key.hash; }
  };
  struct topic_equal {
    using is_transparent = void;
    const subscription_index* index;
    bool operator()(topic_id a, topic_id b) const noexcept { return a == b; }
    bool operator()(const hashed& a, topic_id b) const noexcept {
      return a.bytes == index->bytes_of(b);
    }
    bool operator()(topic_id a, const hashed& b) const noexcept { return (*this)(b, a); }
  };
  struct membership {
    topic_id of;
    slot peer;
  };
  struct record_hash {
    using is_transparent = void;
    using is_avalanching = void;
    const subscription_index* index;
    std::size_t operator()(const membership& m) const noexcept;
    std::size_t operator()(std::uint32_t record) const noexcept;
  };
  struct record_equal {
    using is_transparent = void;
    const subscription_index* index;
    bool operator()(std::uint32_t a, std::uint32_t b) const noexcept { return a == b; }
    bool operator()(const membership& a, std::uint32_t b) const noexcept {
      const auto& r = index->records_[b];
      return a.of == r.of && a.peer == r.peer;
    }
    bool operator()(std::uint32_t a, const membership& b) const noexcept { return (*this)(b, a); }
  };

  [[nodiscard]] std::string_view bytes_of(topic_id id) const noexcept { return texts_[id]; }
  [[nodiscard]] hashed hash_of(std::string_view bytes) const noexcept {
    return {key_(bytes), bytes};
  }
  // Visits the topics that match() appends, until `visit` returns false. Returns the number of
  // topics that it has looked at.
  template <class Visit>
  std::size_t visit_matches(std::string_view part, Visit&& visit) const;
  // Returns whether topics of this length are found by their length.
  [[nodiscard]] bool has_place(std::size_t length) const noexcept;
  [[nodiscard]] std::uint32_t new_record();
  void link(std::uint32_t r) noexcept;
  [[nodiscard]] topic_id topic_for(std::string_view bytes);
  void drop_topic(topic_id id) noexcept;
  void drop_record(std::uint32_t r) noexcept;
  void squeeze() noexcept;

  keyed_hash key_;
  topic_texts texts_;
  std::size_t dead_bytes_ = 0;
  std::vector<record> records_;
  std::vector<peer_records> peers_;
  std::uint32_t free_topic_ = none;
  std::uint32_t free_record_ = none;
  boost::unordered_flat_set<topic_id, topic_hash, topic_equal> by_bytes_;
  boost::unordered_flat_set<std::uint32_t, record_hash, record_equal> memberships_;
  topic_id everything_ = none;  // the empty topic, which needs no hash
  // The lengths by which other topics are found, and the number of topics per length.
  boost::container::flat_map<std::uint32_t, std::size_t> lengths_;
  topic_tree tree_;
  std::uint64_t version_ = 0;
};

}  // namespace zmtp
