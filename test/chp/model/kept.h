#pragma once
// The state of a server (section 2 of docs/chp-log.md), and its disk, which is late or never has it.

#include "test/chp/model/words.h"

#include <algorithm>
#include <deque>
#include <optional>

namespace chp::model {

struct cell {
  std::uint32_t update = 0;  // 0: the key is not in the map
  number at = 0;
  std::uint8_t ttl = 0;
  std::uint64_t deadline = 0;  // by the own clock
  bool operator==(const cell& other) const { return update == other.update && at == other.at; }
};
using rows_of_map = std::array<cell, key_count>;

struct outcome {
  std::uint32_t counter = 0;
  number at = 0;
  bool made = true;
};

struct session {
  std::uint32_t id = 0;
  std::uint32_t low = 1;
  std::uint32_t next = 1;  // counters below it were carried out, or never will be
  number last = 0;         // its last entry
  std::vector<outcome> outcomes;
};

// One state of log, lineage, map and sessions. A restart finds one of those that a transaction has written.
class kept {
public:
  // The log from the first entry of the history on, for the checker. A server may look at those from `first` on.
  std::vector<entry> log;
  number first = 1;  // entries below it are trimmed
  lineage rows;
  number commit = 0;
  number both = 0;
  number needed = 0;  // both may have had entries up to here
  number published = 0;
  rows_of_map map{};  // at `published`
  std::vector<session> sessions;
  number forgotten = 0;
  std::uint64_t copy = 0;  // the snapshot that the log began with

  [[nodiscard]] number end() const { return log.empty() ? 0 : log.back().at; }
  // A server that has lost what both had counts as one without data, until it has caught up.
  [[nodiscard]] bool lacks_data() const { return rows.empty() || end() < std::max(both, needed); }
  [[nodiscard]] row last_row() const { return rows.empty() ? row{} : rows.back(); }
  [[nodiscard]] const entry* find(number at) const;
  [[nodiscard]] std::size_t length() const;  // not trimmed
  // The entries above a number, nullptr behind the last: from ... to log.data() + log.size().
  [[nodiscard]] const entry* above(number at) const;
  [[nodiscard]] session* find_session(std::uint32_t id);

  void append(const entry& e, const settings& how);
  void publish(number to, std::uint64_t now, planted fault);
  [[nodiscard]] rows_of_map map_at_end() const;
  void trim(std::size_t limit, number not_above);

private:
  void note_in_session(const entry& e, const settings& how);
};

void apply(rows_of_map& map, const entry& e, std::uint64_t now, planted fault = planted::none);

// A disk that lags: transactions become durable as a whole and in order.
class disk {
public:
  bool failed = false;  // writes nothing more before a restart or before it has room again
  epoch reserved = 0;   // in a file of its own, written at once

  [[nodiscard]] const kept& content() const { return content_; }
  [[nodiscard]] std::size_t waiting() const { return writing_.size(); }
  void write(const kept& state) { writing_.push_back(state); }
  void sync(std::size_t transactions);
  void crash(std::size_t transactions_written);  // writes without a sync may have arrived or not
  void wipe();

private:
  kept content_;
  std::deque<kept> writing_;
};

}  // namespace chp::model
