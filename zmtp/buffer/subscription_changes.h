#pragma once
// Subscription changes that a peer has not received yet.

#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace zmtp {

// The start or the end of a subscription.
struct subscription_change {
  bool subscribe;
  std::string topic;
};

// An ordered queue of changes. A peer that reads receives every change. For a peer that does not
// read, the queue keeps up to `kept_in_full` changes, and beyond that one net change per topic. If
// such a change undoes the last pending change of its topic, the queue removes both. So the size
// depends on the number of topics, not on time. The changes of one topic always alternate.
class subscription_changes {
  struct node : subscription_change,
                boost::intrusive::set_base_hook<>,
                boost::intrusive::list_base_hook<> {
    node(bool begins, std::string_view name) : subscription_change{begins, std::string{name}} {}
  };
  struct topic_of {
    using type = std::string;
    const std::string& operator()(const node& n) const noexcept { return n.topic; }
  };
  using list = boost::intrusive::list<node>;

public:
  static constexpr std::size_t default_kept_in_full = 1'000;

  subscription_changes() noexcept : subscription_changes{default_kept_in_full} {}
  explicit subscription_changes(std::size_t kept_in_full) noexcept : kept_in_full_{kept_in_full} {}
  subscription_changes(subscription_changes&& other) noexcept : subscription_changes{} {
    swap(other);
  }
  subscription_changes& operator=(subscription_changes&& other) noexcept {
    swap(other);
    return *this;
  }
  ~subscription_changes() { clear(); }

  // Throws std::bad_alloc, without an effect.
  void add(bool subscribe, std::string_view topic);
  [[nodiscard]] bool empty() const noexcept { return in_order_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return in_order_.size(); }
  // Returns the oldest change. The queue must not be empty.
  [[nodiscard]] const subscription_change& front() const noexcept { return in_order_.front(); }
  void pop() noexcept { drop(in_order_.front()); }
  void clear() noexcept;
  void swap(subscription_changes& other) noexcept {
    std::swap(kept_in_full_, other.kept_in_full_);
    in_order_.swap(other.in_order_);
    by_topic_.swap(other.by_topic_);
  }
  // All changes, oldest first.
  [[nodiscard]] auto begin() const noexcept { return in_order_.begin(); }
  [[nodiscard]] auto end() const noexcept { return in_order_.end(); }

private:
  void drop(node& n) noexcept;

  std::size_t kept_in_full_;
  list in_order_;
  boost::intrusive::multiset<node, boost::intrusive::key_of_value<topic_of>> by_topic_;
};

}  // namespace zmtp
