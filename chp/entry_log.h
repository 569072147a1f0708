#pragma once
// The log of a server: the last entries of its history, in flat memory. Pure.

#include "chp/log_entry.h"
#include "chp/sequence.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string_view>

namespace chp {

struct log_limits {
  std::size_t bytes = 64 * 1024 * 1024;
  std::size_t entries = 1'000'000;
  std::size_t segment = 64 * 1024;  // bytes that are allocated and freed together
};

// What trimming leaves. `half` leaves entries up to half the limits, for a backup that returns.
// `newest` leaves only the newest segment.
enum class trimmed_to : std::uint8_t { half, newest };

// Entries are records in segments. Appending copies the record and allocates once for a segment.
// Numbers rise, and follow each other within an epoch.
class entry_log {
public:
  // The place between two entries. It stays valid until the entry before it is trimmed.
  class cursor {
  public:
    cursor() noexcept = default;

  private:
    friend entry_log;
    std::uint64_t segment_ = 0;  // counted from the first one of this log
    std::size_t offset_ = 0;
  };

  explicit entry_log(const log_limits& limits = {}) noexcept : limits_{limits} {}
  entry_log(entry_log&&) noexcept = default;
  entry_log& operator=(entry_log&&) noexcept = default;

  // Empties the log. Its history ends at `at`, and the next entry is above it.
  void restart(sequence at) noexcept;
  // Throws std::bad_alloc, which leaves the log unchanged.
  void append(const log_entry& e);

  // The log has the entries above start(), up to end().
  [[nodiscard]] sequence start() const noexcept { return start_; }
  [[nodiscard]] sequence end() const noexcept { return end_; }
  [[nodiscard]] std::size_t entries() const noexcept { return entries_; }
  // Bytes of memory, with the unused rest of segments.
  [[nodiscard]] std::size_t memory() const noexcept { return memory_; }
  // A full log takes entries still, but the server must stop reading updates.
  [[nodiscard]] bool is_full() const noexcept {
    return entries_ >= limits_.entries || bytes_ >= limits_.bytes;
  }

  // Returns the place after the last entry that is not above `number`, which must not be below
  // start(). Takes time for one segment.
  [[nodiscard]] cursor after(sequence number) const noexcept;
  [[nodiscard]] bool at_end(const cursor& at) const noexcept;
  // Returns the number of the last of at most `most` entries above `from`, or `to` if that is lower.
  [[nodiscard]] sequence step(sequence from, sequence to, std::size_t most) const noexcept;
  // Reads the next entry and moves the cursor behind it. Returns false at the end of the log. The
  // views are valid until the entry is trimmed.
  [[nodiscard]] bool read(cursor& at, log_entry& e) const noexcept;
  struct record_range {
    std::string_view bytes;
    sequence last = 0;  // the number of the last record
  };
  // Returns the records of the rest of the cursor's segment, at most `most` bytes but at least one
  // record, and moves the cursor behind them. Empty at the end of the log.
  [[nodiscard]] record_range records(cursor& at, std::size_t most) const noexcept;

  // Removes the oldest segments whose entries are not above `last`. A log that is more than half full
  // does not keep the newest segment either. Returns true if it has removed any.
  bool trim(sequence last, trimmed_to to) noexcept;

private:
  struct segment {
    std::unique_ptr<char[]> bytes;
    std::size_t capacity = 0;
    std::size_t used = 0;
    std::size_t entries = 0;
    sequence last = 0;
  };

  // Returns the segment of the next entry, or null at the end of the log.
  [[nodiscard]] const segment* settle(cursor& at) const noexcept;

  log_limits limits_;
  std::deque<segment> segments_;
  std::uint64_t removed_ = 0;  // number of segments that were removed
  sequence start_ = 0;
  sequence end_ = 0;
  std::size_t entries_ = 0;
  std::size_t bytes_ = 0;  // in records
  std::size_t memory_ = 0;
};

}  // namespace chp
