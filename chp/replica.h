#pragma once
// The state of a server of the map: its history, what is committed, and what is stored. Pure.

#include "chp/history.h"
#include "chp/map_room.h"
#include "chp/random_numbers.h"
#include "chp/state_write.h"
#include "chp/state_writer.h"

#include <boost/system/error_code.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace chp {

struct replica_options {
  history_options history{};
  store_limits map{};
  bool has_store = false;
  std::size_t unwritten_bytes = 64 * 1024 * 1024;  // changes that wait for the disk; see has_room()
  std::chrono::milliseconds store_retry{1'000};
};

// Both roles change it. Each turn ends with take_writes().
class replica {
public:
  using time_point = history::time_point;

  // Begins without data.
  replica(const replica_options& options, std::uint64_t random);
  // Begins with what a store has. `found` was built with the history options of `options`, and the
  // same store gets the writes.
  replica(const replica_options& options, std::uint64_t random, std::unique_ptr<history> found,
          const state_numbers& numbers);
  // Returns an empty history, to be built from stored or copied parts.
  [[nodiscard]] std::unique_ptr<history> make_history();

  [[nodiscard]] const history& past() const noexcept { return *history_; }
  [[nodiscard]] history& past() noexcept { return *history_; }
  [[nodiscard]] sequence end() const noexcept { return history_->end(); }
  // Entries up to here are committed.
  [[nodiscard]] sequence commit() const noexcept { return commit_; }
  // The highest number that this server knows both servers to have had, on their disks if they have
  // stores.
  [[nodiscard]] sequence both() const noexcept { return both_; }
  // The part of both() that is known to be on two disks. It is not stored, so it is lower than
  // both() after a restart, until a backup confirms.
  [[nodiscard]] sequence both_disks() const noexcept { return both_disks_; }
  [[nodiscard]] sequence needed() const noexcept { return needed_; }
  // The own disk has the log up to here. Without a store this is the end.
  [[nodiscard]] sequence durable() const noexcept;
  // This incarnation, for the witness of the pair. A server that has lost what it had draws another.
  [[nodiscard]] member_id member() const noexcept { return member_; }
  [[nodiscard]] bool has_store() const noexcept { return writer_.has_value(); }
  [[nodiscard]] store_status stored() const noexcept {
    return writer_ ? writer_->status() : store_status::nothing;
  }
  // Returns whether the store can take no more, so that this server can commit nothing.
  [[nodiscard]] bool store_failed() const noexcept {
    return stored() == store_status::failed || stored() == store_status::full;
  }
  // A server that may have lost what both had counts as one without data, until it has it again.
  [[nodiscard]] bool lacks_data() const noexcept {
    return history_->reigns().empty() || end() < both_ || end() < needed_;
  }
  // Returns false if the server must read no more updates: the log is full, or too much waits for
  // the disk.
  [[nodiscard]] bool has_room() const noexcept {
    return !history_->log().is_full() && (!writer_ || writer_->bytes() < options_.unwritten_bytes);
  }
  // Errors: too_many_keys, too_many_bytes.
  [[nodiscard]] errc check_room(std::string_view key, std::string_view value) {
    return room_.check(*history_, key, value);
  }

  void begin_reign(std::uint64_t epoch, std::uint64_t tag);
  // `e` must be the next entry.
  void append(const log_entry& e);
  void raise_commit(sequence to) noexcept { commit_ = to > commit_ ? to : commit_; }
  // A server that becomes active knows nothing committed that its disk does not have.
  void lower_commit(sequence to) noexcept { commit_ = to < commit_ ? to : commit_; }
  // Both servers have the entries up to here.
  void raise_both(sequence to, bool peer_has_store) noexcept {
    both_ = std::max(both_, to);
    both_disks_ = has_store() && peer_has_store ? std::max(both_disks_, to) : both_disks_;
  }
  // The active server has had entries up to here, which this server may have had and lost.
  void raise_needed(sequence to) noexcept { needed_ = to > needed_ ? to : needed_; }
  // The server becomes active with what it has. Lowers both() too.
  void lower_needs(sequence to) noexcept {
    both_ = to < both_ ? to : both_;
    both_disks_ = std::min(both_disks_, both_);
    needed_ = to < needed_ ? to : needed_;
  }
  // Same as history::publish().
  template <class Visit>
  void publish(sequence to, time_point now, Visit&& visit) {
    history_->publish(to, now, [&](const log_entry& e, bool changed) {
      if (writer_) {
        writer_->publish(e, changed);
      }
      visit(e, changed);
    });
  }
  // Same as history::trim().
  void trim(sequence last, trimmed_to to);
  // Replaces everything by a copy of the other server's history. The store is then written as a whole.
  void replace(std::unique_ptr<history> by, sequence commit);

  // Appends what the store must write. Frees a part of what was replaced.
  void take_writes(time_point now, std::vector<state_write>& out);
  void on_written(boost::system::error_code ec, time_point now);
  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept;

private:
  [[nodiscard]] state_numbers numbers() const noexcept;

  replica_options options_;
  random_numbers random_;
  std::unique_ptr<history> history_;
  std::vector<std::unique_ptr<history>> replaced_;
  map_room room_;
  sequence commit_ = 0;
  sequence both_ = 0;
  sequence both_disks_ = 0;
  sequence needed_ = 0;
  member_id member_;
  std::optional<state_writer> writer_;  // destroyed before the history that it reads
};

}  // namespace chp
