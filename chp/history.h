#pragma once
// The history of a server in memory: log, lineage, map and sessions, which belong together. Pure.

#include "chp/entry_log.h"
#include "chp/known_ids.h"
#include "chp/lineage.h"
#include "chp/sessions.h"
#include "chp/store.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace chp {

struct history_options {
  log_limits log{};
  session_limits clients{};
  std::size_t max_ids = 100'000;  // those of updates without a session
};

// Returns the record, of kind `set`, with which a store or a backup gets an entry of the map.
[[nodiscard]] inline log_entry map_record(const store::entry& e) {
  return {.number = e.number(), .id = e.id(), .ttl = e.ttl(), .key = e.key(), .value = e.value()};
}

// The log and the sessions are at end(), the map is at published().
class history {
public:
  using time_point = store::time_point;

  // `random` has 64 random bits.
  history(const history_options& options, std::uint64_t random)
      : map_{random, store_limits::none()},
        clients_{random + 1, options.clients},
        ids_{random + 2, options.max_ids},
        log_{options.log} {}

  [[nodiscard]] const entry_log& log() const noexcept { return log_; }
  [[nodiscard]] const lineage& reigns() const noexcept { return reigns_; }
  [[nodiscard]] const sessions& clients() const noexcept { return clients_; }
  [[nodiscard]] sessions& clients() noexcept { return clients_; }
  [[nodiscard]] const known_ids& ids() const noexcept { return ids_; }
  [[nodiscard]] const store& map() const noexcept { return map_; }
  [[nodiscard]] store& map() noexcept { return map_; }
  [[nodiscard]] sequence end() const noexcept { return log_.end(); }
  [[nodiscard]] sequence published() const noexcept { return published_; }
  // Returns whether the map has what this published entry made of its key.
  [[nodiscard]] bool is_current(const log_entry& e) const noexcept;
  [[nodiscard]] entry_log::cursor published_at() const noexcept { return published_at_; }

  // Begins a reign with an entry of its own. Without epochs (0), it has no entry.
  void begin_reign(std::uint64_t epoch, std::uint64_t tag);
  // Returns errc{} if an entry of this number can be the next one, else entry_out_of_order.
  [[nodiscard]] errc check_next(const log_entry& e) const noexcept;
  // Appends the next entry, which may be a reign.
  void append(const log_entry& e);
  // Applies the entries up to `to` to the map, and calls `visit(const log_entry&, bool changed)`
  // after each. `changed` is false for an entry without an effect on the map.
  template <class Visit>
  void publish(sequence to, time_point now, Visit&& visit) {
    log_entry e;
    while (published_ < to && log_.read(published_at_, e)) {
      const bool changed = apply(e, now);
      published_ = e.number;
      visit(e, changed);
    }
  }
  // Same as entry_log::trim(), for entries that are published.
  bool trim(sequence last, trimmed_to to) noexcept {
    return log_.trim(std::min(last, published_), to);
  }

  // Build a history from stored or copied parts: the map, the sessions and ids in any order, then
  // begin_log(), the entries, and finish(). After an error the object must not be used.
  [[nodiscard]] errc add_map(std::string_view records, time_point now);
  [[nodiscard]] errc add_sessions(std::string_view rows);
  [[nodiscard]] errc add_ids(std::string_view rows) { return ids_.insert_rows(rows); }
  void begin_log(sequence start, sequence forgotten);
  [[nodiscard]] errc add_entries(std::string_view records);
  // The lineage as of the last entry, and the number that the map was at.
  [[nodiscard]] errc finish(lineage reigns, sequence published);

private:
  bool apply(const log_entry& e, time_point now);

  store map_;
  sessions clients_;
  known_ids ids_;
  entry_log log_;
  lineage reigns_;
  sequence published_ = 0;
  entry_log::cursor published_at_;
  sequence last_of_sessions_ = 0;  // while it is built
};

}  // namespace chp
