#pragma once
// The updates of a client that have an outcome, but not yet on both servers. Pure.

#include "chp/answers.h"
#include "chp/lineage.h"
#include "chp/pending_sets.h"
#include "chp/truth.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

namespace chp {

struct kept_update {
  sent_update what;
  sequence number = 0;
  truth says = truth::unknown;
  bool made = false;      // by the last answer; otherwise it is refused or lost
  bool asked = false;     // the followed server has not answered yet
  bool in_doubt = false;  // the history with its outcome is lost, and no other one has answered
};

// Section 5 of docs/chp-log.md: the history that has an update can be lost until both servers have
// it. So the client asks each server that it follows for the outcome. Above the limits, the oldest
// updates are no longer listed. If their history is lost, the client only knows their number.
class kept_updates {
public:
  kept_updates(std::size_t most, std::size_t most_bytes) : most_{most}, most_bytes_{most_bytes} {}

  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
  // In ascending order of counters.
  [[nodiscard]] const std::deque<kept_update>& all() const noexcept { return all_; }
  // Returns the number of updates that the followed server has not answered yet.
  [[nodiscard]] std::size_t asked() const noexcept { return asked_; }

  // Adds an update with its first answer.
  void add(sent_update&& what, const answer_range& of);
  // Returns the oldest update, no longer listed, if there are too many.
  [[nodiscard]] std::optional<kept_update> drop_excess();

  // Calls lost(kept_update&) for updates that the answer shows to be lost, and done(kept_update&)
  // for those that both servers have. The latter are removed.
  template <class Lost, class Done>
  void on_answer(const answer_range& of, Lost&& lost, Done&& done);

  // Another server is followed, and has not answered any update yet.
  void ask_all() noexcept;
  // The history of the answers is lost. Updates that are not listed count as lost if `now` does not
  // contain all of them, or is null, because the server has no lineage.
  void on_history_lost(const lineage& before, const lineage* now) noexcept;
  // No server can be asked any more. Calls done(kept_update&) for each update, and removes all.
  template <class Done>
  void unlist_all(Done&& done);

  // Ends the caller's wait for both servers. Returns what is known, if the update is kept.
  [[nodiscard]] std::optional<truth> give_up(pending_sets::ticket of) noexcept;

  // The number of updates that were made, not listed, and then lost, or may have been.
  [[nodiscard]] std::uint64_t lost_unlisted() const noexcept { return lost_unlisted_; }

private:
  [[nodiscard]] std::deque<kept_update>::iterator at_or_after(std::uint64_t counter) noexcept;
  void take_answer(kept_update& one, const answer_range& of) noexcept;
  void forget_unlisted(sequence both) noexcept;
  void count_unlisted(const kept_update& one) noexcept;

  std::size_t most_;
  std::size_t most_bytes_;
  std::deque<kept_update> all_;
  std::size_t bytes_ = 0;
  std::size_t asked_ = 0;
  // Updates that were made and are not listed. Both servers may not have them.
  std::uint64_t unlisted_ = 0;
  sequence last_unlisted_ = 0;
  std::uint64_t lost_unlisted_ = 0;
};

template <class Lost, class Done>
void kept_updates::on_answer(const answer_range& of, Lost&& lost, Done&& done) {
  const auto first = at_or_after(of.updates.first);
  auto end = first;
  for (; end != all_.end() && end->what.counter <= of.updates.last; ++end) {
    const bool was_made = end->made;
    take_answer(*end, of);
    if (was_made && !end->made) {
      lost(*end);
    }
    if (is_on_both(of.says)) {
      bytes_ -= end->what.set.framed_size();
      done(*end);
    }
  }
  if (is_on_both(of.says)) {
    all_.erase(first, end);
    forget_unlisted(of.number);
  }
}

template <class Done>
void kept_updates::unlist_all(Done&& done) {
  for (auto& one : std::exchange(all_, {})) {
    done(one);
    if (one.made && one.in_doubt) {
      ++lost_unlisted_;
    } else {
      count_unlisted(one);
    }
  }
  bytes_ = 0;
  asked_ = 0;
}

}  // namespace chp
