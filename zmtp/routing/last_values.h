#pragma once
// The last message of each topic. The topic is the first part.

#include "zmtp/message.h"
#include "zmtp/options.h"

#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>

#include <cstddef>
#include <memory>
#include <string_view>

namespace zmtp {

// Never exceeds its limits. Evicts the topic that was published least recently.
class last_values {
public:
  explicit last_values(const last_value_limits& limit) noexcept : limit_{limit} {}
  last_values(const last_values&) = delete;
  last_values& operator=(const last_values&) = delete;
  ~last_values();

  // If the store exceeds the new limit, the next keep() evicts topics.
  void change_limit(const last_value_limits& limit) noexcept { limit_ = limit; }
  // Stores `m` as the last message of its topic. If `m` alone exceeds the limits, only removes the
  // older message.
  void keep(const message& m) { keep(prepare(m)); }
  // The same in two steps, of which only the first one allocates memory.
  struct value : boost::intrusive::set_base_hook<>, boost::intrusive::list_base_hook<> {
    message content;
  };
  [[nodiscard]] std::unique_ptr<value> prepare(const message& m);
  void keep(std::unique_ptr<value> next) noexcept;
  // Visits the messages that match a subscription to `wanted`, in the order of topics, from topic
  // `from` on, until `visit` returns false. Returns false if `visit` did.
  template <class Visit>
  bool visit(std::string_view wanted, xpub_options::matching how, std::string_view from,
             Visit&& visit) const {
    for (auto at = by_topic_.lower_bound(from, order{});
         at != by_topic_.end() && matches(at->content.front(), wanted, how); ++at) {
      if (!visit(at->content)) {
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] std::size_t topics() const noexcept { return by_topic_.size(); }
  // Bytes in memory, with the objects that hold the messages.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

private:
  struct order {
    bool operator()(const value& a, const value& b) const noexcept {
      return a.content.front() < b.content.front();
    }
    bool operator()(const value& a, std::string_view b) const noexcept {
      return a.content.front() < b;
    }
    bool operator()(std::string_view a, const value& b) const noexcept {
      return a < b.content.front();
    }
  };

  // In the order of topics, the topic itself comes before longer topics that begin with it.
  [[nodiscard]] static bool matches(std::string_view topic, std::string_view wanted,
                                    xpub_options::matching how) noexcept {
    return how == xpub_options::matching::topic ? topic == wanted : topic.starts_with(wanted);
  }
  [[nodiscard]] static std::size_t charge(const message& m) noexcept {
    return sizeof(value) + m.tail().size();
  }
  std::unique_ptr<value> take(value& v) noexcept;

  last_value_limits limit_;
  boost::intrusive::set<value, boost::intrusive::compare<order>> by_topic_;
  boost::intrusive::list<value> by_age_;  // least recently published first
  std::size_t bytes_ = 0;
  std::unique_ptr<value> spare_;  // an object for the next message
};

}  // namespace zmtp
