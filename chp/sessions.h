#pragma once
// The sessions of Zinc's clients: which of their updates the log has, and with which outcome. Pure.

#include "chp/divided_set.h"
#include "chp/error.h"
#include "chp/log_entry.h"
#include "chp/outcome_queue.h"
#include "chp/sequence.h"
#include "zmtp/routing/keyed_hash.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace chp {

struct session_limits {
  std::size_t max_sessions = 100'000;
  // Per session. Further updates are deferred, so this must not be lower than the sum of
  // client_options::pending_updates and kept_updates, or with clients of earlier versions, 32,768.
  std::size_t max_outcomes = 65'536;
  std::size_t max_all_outcomes = 4'000'000;  // in all sessions, 16 bytes each
};

// Counters of a session are executed in order. A session has the outcome of each counter from `low`
// on, because the client may ask for it. Above a limit, the session without an entry for longest is
// forgotten, and `forgotten()` remembers that.
class sessions {
public:
  // Peers choose the sessions, so `seed` must be random.
  explicit sessions(std::uint64_t seed, const session_limits& limits = {})
      : limits_{limits}, by_session_{zmtp::keyed_hash{seed}} {}

  enum class verdict : std::uint8_t {
    execute,  // the next one
    known,    // executed before, with this outcome
    over,     // below `low`: the client has its final answer
    early,    // one before it is missing
    full,     // the client must raise `low` first
    unknown,  // it may have been executed, and no server can tell
  };
  struct decision {
    verdict what;
    entry_outcome known{};
  };
  // Decides whether to execute an update. `since` is the number with which the client's session began, or 0 if this
  // history does not contain that place.
  [[nodiscard]] decision decide(const update_id& id, std::uint64_t low,
                                sequence since) const noexcept;
  // The log has an entry. An entry that is not above the last one of its session is known already.
  void note(const log_entry& e);

  [[nodiscard]] bool contains(std::uint64_t session) const noexcept {
    return find(session) != none;
  }
  // Calls `visit(std::uint64_t counter, const entry_outcome&)` for each outcome of a session, in order.
  template <class Visit>
  void visit_outcomes(std::uint64_t session, Visit&& visit) const {
    const auto at = find(session);
    if (at != none) {
      const auto& r = records_[at];
      for (std::size_t i = 0; i < r.outcomes.size(); ++i) {
        visit(r.first + i, r.outcomes[i]);
      }
    }
  }

  // Returns the highest number of a session that was forgotten.
  [[nodiscard]] sequence forgotten() const noexcept { return forgotten_; }
  void raise_forgotten(sequence to) noexcept { forgotten_ = to > forgotten_ ? to : forgotten_; }
  [[nodiscard]] std::size_t size() const noexcept { return by_session_.size(); }

  // A row: session, low, first counter, last number (8 bytes each), count (4), then for each
  // counter its number (8) and 0, or its refusal_code() plus 1 (1). All in network order.
  //
  // Appends the rows of all sessions, in pieces of about `most` bytes. `at` is 0 at first, and size
  // of the table at the end. Changes between two pieces do no harm: note() of later entries repeats
  // them. Returns false at the end.
  [[nodiscard]] bool append_rows(std::size_t& at, std::size_t most, std::string& rows) const;
  // Inserts the session of the first row, and moves `rows` behind it. Raises `last` to the last
  // number of the session.
  // Errors: malformed_session.
  [[nodiscard]] errc insert_row(std::string_view& rows, sequence& last);

  // Reads a row of this process, and moves `rows` behind it.
  struct row {
    std::uint64_t session;
    std::string_view bytes;
  };
  [[nodiscard]] static row read_row(std::string_view& rows) noexcept;

  // Entries that are noted in between are older than some rows. So no session is forgotten before
  // the end, which takes those that were without an entry for longest.
  void begin_replay() noexcept { replaying_ = true; }
  void end_replay();

  // For a store: appends the rows of sessions that have changed by an entry that is not above `to`
  // since their rows were taken last. forget_changed() does it without the rows.
  void take_changed(sequence to, std::string& rows);
  void forget_changed(sequence to);
  // For a store: returns the sessions that were forgotten since the last call and are unknown now.
  [[nodiscard]] std::vector<std::uint64_t> take_forgotten();

private:
  static constexpr std::uint32_t none = 0xffff'ffff;

  struct record {
    std::uint64_t session = 0;
    std::uint64_t low = 1;
    std::uint64_t first = 1;  // the counter of the first outcome
    sequence last = 0;
    outcome_queue outcomes{};
    bool used = false;
    bool changed = false;        // is in changed_
    std::uint32_t older = none;  // links the records by their last number
    std::uint32_t newer = none;

    [[nodiscard]] std::uint64_t next() const noexcept { return first + outcomes.size(); }
  };
  struct slot {
    std::uint64_t session;
    std::uint32_t at;
  };
  struct session_of_slot {
    std::uint64_t operator()(const slot& s) const noexcept { return s.session; }
  };
  struct change {
    sequence number;  // the first since the row was taken
    std::uint64_t session;
    std::uint32_t at;
  };

  // Returns the place of a session in records_, or `none`.
  [[nodiscard]] std::uint32_t find(std::uint64_t session) const noexcept;
  [[nodiscard]] std::uint32_t add(std::uint64_t session);
  void forget_oldest() noexcept;
  [[nodiscard]] bool is_above_limits() const noexcept {
    return by_session_.size() > limits_.max_sessions || outcomes_ > limits_.max_all_outcomes;
  }
  void drop_below(record& r, std::uint64_t low) noexcept;
  void link_newest(std::uint32_t at) noexcept;
  void unlink(std::uint32_t at) noexcept;
  static void append_row(const record& r, std::string& rows);
  template <class Visit>
  void visit_changed(sequence to, Visit&& visit);

  session_limits limits_;
  divided_set<slot, session_of_slot, zmtp::keyed_hash> by_session_;
  std::deque<record> records_;
  std::vector<std::uint32_t> free_;
  std::uint32_t oldest_ = none;
  std::uint32_t newest_ = none;
  std::size_t outcomes_ = 0;
  sequence forgotten_ = 0;
  bool replaying_ = false;
  std::deque<change> changed_;  // in the order of numbers
  std::vector<std::uint64_t> dropped_;
};

}  // namespace chp
