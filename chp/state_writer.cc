#include "chp/state_writer.h"

#include "zmtp/storage/error.h"

#include <algorithm>
#include <utility>

namespace chp {

namespace {

constexpr std::size_t piece = 64 * 1024;  // bytes
constexpr std::size_t pieces_in_flight = 16 * piece;
constexpr std::size_t read_at_once = 1'000;
constexpr int longest_pause = 64;  // times the first one

std::size_t bytes_of(const state_write& w) noexcept {
  return w.entries.size() + w.map.size() + w.sessions.size() + w.ids.size();
}

}  // namespace

void state_writer::append(const log_entry& e) {
  if (!retry_at_ && !whole_) {
    append_record(next_.entries, e);
  }
}

void state_writer::publish(const log_entry& e, bool changed) {
  if (changed && !retry_at_) {
    append_record(next_.map, {.number = e.number,
                              .kind = e.kind,
                              .id = e.id,
                              .argument = e.argument,
                              .ttl = e.ttl,
                              .key = e.key,
                              .value = e.value});
  }
}

void state_writer::trim(history& of) {
  // Without a whole state on the disk, the rows come with it.
  auto& rows = next_.sessions;
  of.clients().take_changed(of.log().start(), rows);
  ids_written_ = of.ids().append_rows(ids_written_, of.log().start(), SIZE_MAX, next_.ids);
  if (retry_at_) {
    rows.clear();
    next_.ids.clear();
  }
}

void state_writer::replace() noexcept {
  whole_.reset();
  next_ = {};
  durable_ = 0;
  ids_written_ = 0;
  ++copy_;
  if (status_ != store_status::failed) {
    retry_at_ = time_point{};
  }
}

bool state_writer::takes_piece() const noexcept {
  return whole_ && piece_bytes_ < pieces_in_flight;
}

std::optional<state_writer::time_point> state_writer::next_deadline() const noexcept {
  return takes_piece() ? std::optional{time_point{}} : retry_at_;
}

void state_writer::take(history& of, state_numbers numbers, time_point now,
                        std::vector<state_write>& out) {
  if (status_ == store_status::failed) {
    next_ = {};
    return;
  }
  if (retry_at_) {
    if (now < *retry_at_) {
      next_ = {};
      return;
    }
    retry_at_.reset();
    next_ = {};
    whole_.emplace(whole{of.map().open_snapshot(), of.log().after(of.log().start())});
    // Later changes of sessions are tracked, whether a row has them or not.
    of.clients().forget_changed(max_sequence);
    (void)of.clients().take_forgotten();
  }
  if (whole_) {
    if (takes_piece()) {
      take_piece(of, numbers, out);
    }
    return;
  }
  // Changed numbers alone need no transaction.
  next_.forgotten_sessions = of.clients().take_forgotten();
  const bool is_empty =
      bytes_of(next_) == 0 && next_.forgotten_sessions.empty() && !lineage_changed_;
  if (!is_empty) {
    auto write = std::exchange(next_, {});
    finish(of, write, numbers);
    lineage_changed_ = false;
    submit(std::move(write), false, out);
  }
}

void state_writer::finish(history& of, state_write& write, const state_numbers& numbers) const {
  if (lineage_changed_) {
    write.lineage.emplace();
    of.reigns().append_to(*write.lineage);
  }
  write.numbers = numbers;
}

// The map as it was at the begin, then the sessions as they are now, then all entries. So the
// sessions know no entry that the stored log does not have.
void state_writer::take_piece(history& of, const state_numbers& numbers,
                              std::vector<state_write>& out) {
  state_write w;
  w.replaces = !std::exchange(whole_->started, true);
  w.more = true;
  if (!whole_->map.at_end()) {
    whole_->map.read(read_at_once, [&](const store::entry& e) {
      append_record(w.map, map_record(e));
      return w.map.size() < piece;
    });
  } else if (!whole_->sessions_done) {
    whole_->sessions_done = !of.clients().append_rows(whole_->sessions_at, piece, w.sessions);
  } else {
    const auto before = whole_->ids_at;
    whole_->ids_at = of.ids().append_rows(before, max_sequence, read_at_once, w.ids);
    w.entries = of.log().records(whole_->log_at, 4 * piece).bytes;
    if (whole_->ids_at == before && of.log().at_end(whole_->log_at)) {
      w.more = false;
      w.map = std::move(next_.map);
      next_ = {};
      lineage_changed_ = true;
      finish(of, w, numbers);
      lineage_changed_ = false;
      ids_written_ = whole_->ids_at;
      w.forgotten_sessions = of.clients().take_forgotten();
      whole_.reset();
    }
  }
  submit(std::move(w), true, out);
}

void state_writer::submit(state_write&& write, bool is_piece, std::vector<state_write>& out) {
  const auto bytes = bytes_of(write);
  (is_piece ? piece_bytes_ : bytes_) += bytes;
  in_flight_.push_back({write.numbers.end, bytes, copy_, is_piece, write.more});
  out.push_back(std::move(write));
}

void state_writer::on_written(boost::system::error_code ec, time_point now) {
  if (in_flight_.empty()) {
    return;
  }
  const auto done = in_flight_.front();
  in_flight_.pop_front();
  (done.is_piece ? piece_bytes_ : bytes_) -= done.bytes;
  if (status_ == store_status::failed) {
    return;
  }
  if (!ec) {
    if (done.copy == copy_ && !done.more) {
      durable_ = std::max(durable_, done.end);
      if (!retry_at_) {
        status_ = store_status::all;
        pause_ = retry_;
      }
    }
    return;
  }
  if (ec != zmtp::storage_errc::store_full) {
    status_ = store_status::failed;
    whole_.reset();
    retry_at_.reset();
    next_ = {};
    return;
  }
  // The store rejects all that follows until everything is written.
  if (!retry_at_ && done.copy == copy_) {
    status_ = store_status::full;
    whole_.reset();
    next_ = {};
    ++copy_;
    retry_at_ = now + pause_;
    pause_ = std::min(2 * pause_, longest_pause * retry_);
  }
}

}  // namespace chp
