#pragma once
// Collects what a server's history changes into writes for a store, and tracks which are on the
// disk. Pure.

#include "chp/history.h"
#include "chp/state_write.h"
#include "chp/store.h"
#include "chp/store_status.h"

#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace chp {

// The changes of a turn are one write. If the store was full, or the history was replaced, the store
// does not match the history. Then everything is written, in pieces of one transaction, as fast as
// the store takes them. It ends with the changes that came meanwhile.
class state_writer {
public:
  using time_point = std::chrono::steady_clock::time_point;

  // `durable` is the end of the stored log. `retry` is the first pause before a full store is tried
  // again.
  state_writer(sequence durable, std::chrono::milliseconds retry)
      : durable_{durable}, retry_{retry}, pause_{retry} {}

  // Changes of the history, in order.
  void append(const log_entry& e);
  void publish(const log_entry& e, bool changed);
  void begin_reign() noexcept { lineage_changed_ = true; }
  // The log has no entries up to its new start.
  void trim(history& of);
  // The history was replaced, and nothing of it is stored.
  void replace() noexcept;
  // Returns whether old entries must stay, because everything is being written.
  [[nodiscard]] bool needs_log() const noexcept { return whole_.has_value(); }

  // Appends the writes of this turn. `numbers` are those of the present.
  void take(history& of, state_numbers numbers, time_point now, std::vector<state_write>& out);
  // Takes the result of the oldest write without one.
  void on_written(boost::system::error_code ec, time_point now);

  [[nodiscard]] store_status status() const noexcept { return status_; }
  // The disk has the log up to here.
  [[nodiscard]] sequence durable() const noexcept { return durable_; }
  // Bytes of changes that wait for the disk, without those of a whole state.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  // Returns when take() has work of its own: the next piece, or another attempt.
  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;

private:
  struct in_flight {
    sequence end;
    std::size_t bytes;
    std::uint64_t copy;
    bool is_piece;
    bool more;
  };
  // The progress of writing everything.
  struct whole {
    store::snapshot map;
    entry_log::cursor log_at;
    bool started = false;
    std::size_t sessions_at = 0;
    bool sessions_done = false;
    std::uint64_t ids_at = 0;
  };

  // Returns whether the store gets the next piece: few bytes of pieces are in flight.
  [[nodiscard]] bool takes_piece() const noexcept;
  void submit(state_write&& write, bool is_piece, std::vector<state_write>& out);
  void take_piece(history& of, const state_numbers& numbers, std::vector<state_write>& out);
  void finish(history& of, state_write& write, const state_numbers& numbers) const;

  sequence durable_;
  std::chrono::milliseconds retry_;
  std::chrono::milliseconds pause_;
  store_status status_ = store_status::all;
  std::optional<time_point> retry_at_;  // everything must be written from then on
  std::optional<whole> whole_;
  state_write next_;
  bool lineage_changed_ = false;
  std::uint64_t ids_written_ = 0;  // index in known_ids
  std::uint64_t copy_ = 0;         // number of histories before this one
  std::deque<in_flight> in_flight_;
  std::size_t bytes_ = 0;        // in flight
  std::size_t piece_bytes_ = 0;  // in flight, those of pieces
};

}  // namespace chp
