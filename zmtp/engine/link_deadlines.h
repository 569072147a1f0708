#pragma once
// The deadlines of a socket's links, which share one timer.

#include <boost/intrusive/set.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>

namespace zmtp {

// Keeps the deadlines in their order. Allocates nothing.
class link_deadlines {
  using hook =
      boost::intrusive::set_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>,
                                      boost::intrusive::optimize_size<true>>;

public:
  using time_point = std::chrono::steady_clock::time_point;

  // The base class of a link. Its destruction removes the deadline.
  class entry : public hook {
  public:
    [[nodiscard]] const std::optional<time_point>& due() const noexcept { return due_; }
    // Called when the deadline has come. due() is empty then. May set another deadline.
    virtual void on_time() = 0;

  protected:
    ~entry() = default;

  private:
    friend link_deadlines;

    std::optional<time_point> due_;
  };

  // Replaces the deadline of `of`. The later calls of entries with the same deadline are in the
  // order in which it was set.
  void set(entry& of, std::optional<time_point> due) noexcept {
    of.unlink();
    of.due_ = due;
    if (due) {
      entries_.insert(of);
    }
  }
  [[nodiscard]] std::optional<time_point> first() const noexcept {
    return entries_.empty() ? std::nullopt : entries_.begin()->due_;
  }
  // Calls at most `most` entries whose deadline has come.
  void expire(time_point now, std::size_t most) {
    for (; most != 0 && !entries_.empty() && *entries_.begin()->due_ <= now; --most) {
      auto& next = *entries_.begin();
      set(next, std::nullopt);
      next.on_time();
    }
  }

private:
  struct earlier {
    bool operator()(const entry& a, const entry& b) const noexcept { return *a.due_ < *b.due_; }
  };

  boost::intrusive::multiset<entry, boost::intrusive::base_hook<hook>,
                             boost::intrusive::compare<earlier>,
                             boost::intrusive::constant_time_size<false>>
      entries_;
};

}  // namespace zmtp
