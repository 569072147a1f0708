#include "chp/map_writer.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace chp {

namespace {

using std::chrono::milliseconds;

// Limit of the pause before a full store is tried again, as a multiple of the first pause. Each try
// is work for all keys.
constexpr int longest_pauses = 64;

std::size_t size_of(const map_change& change) noexcept {
  return sizeof(map_change) + change.key.size() + change.value.size();
}

std::optional<milliseconds> left_of(std::optional<store::time_point> deadline,
                                    store::time_point now) {
  if (!deadline) {
    return std::nullopt;
  }
  return std::max(std::chrono::ceil<milliseconds>(*deadline - now), milliseconds{1});
}

}  // namespace

void map_writer::add(map_change&& change) {
  // Until the whole map is read, changes need not be recorded.
  if (step_ == step::waiting) {
    return;
  }
  last_ = std::max(last_, change.number);
  changes_bytes_ += size_of(change);
  bytes_ += size_of(change);
  changes_.push_back(std::move(change));
}

void map_writer::set(const store::change& to, sequence number, time_point now) {
  add({.what = map_operation::set,
       .number = number,
       .id = to.id,
       .key = std::string{to.key},
       .value = std::string{to.value},
       .ttl = left_of(to.deadline, now)});
}

void map_writer::erase(std::string_view key, const update_id& id, sequence number) {
  add({.what = map_operation::erase, .number = number, .id = id, .key = std::string{key}});
}

void map_writer::bury(std::string_view key, const update_id& id, sequence number) {
  add({.what = map_operation::set, .number = number, .id = id, .key = std::string{key}});
}

void map_writer::forget(std::string_view key) {
  add({.what = map_operation::erase, .key = std::string{key}});
}

void map_writer::note(const update_id& id, sequence number) {
  add({.what = map_operation::note, .number = number, .id = id});
}

void map_writer::refuse(const update_id& id, errc why, std::uint64_t notice) {
  last_notice_ = notice;
  add({.what = map_operation::refuse, .id = id, .value = refusal_text(why)});
}

void map_writer::add_applied(std::string piece) {
  add({.what = map_operation::add_applied, .value = std::move(piece)});
}

void map_writer::begin_notices() noexcept {
  for (auto& one : on_the_way_) {
    one.notice = 0;
  }
  durable_notice_ = 0;
  last_notice_ = 0;
  whole_notice_ = 0;
}

void map_writer::remember(std::string_view server_record) { next_server_record_ = server_record; }

void map_writer::drop_changes() noexcept {
  changes_.clear();
  bytes_ -= std::exchange(changes_bytes_, 0);
}

void map_writer::drop_whole() noexcept {
  cursor_.reset();
  applied_.reset();
  whole_.clear();
}

void map_writer::replace() {
  for (auto& one : on_the_way_) {
    one.of_this_map = false;
  }
  durable_ = 0;
  last_ = 0;
  begin_notices();
  drop_whole();
  drop_changes();
  step_ = step::waiting;
  if (how_ == store_status::all) {
    how_ = store_status::writing;
    retry_at_ = {};
  }
}

void map_writer::begin_whole(store& map, update_register& applied, const tombstones& erased,
                             std::string_view server_record) {
  whole_.clear();
  // Reserves the memory, because moving a large vector takes long. Unused pages cost nothing. Each
  // piece of the register contains at least one session or id.
  whole_.reserve(map.keys() + erased.size() + applied.sessions() + applied.others() + 3);
  whole_.push_back({.what = map_operation::clear});
  whole_server_record_ = server_record;
  whole_notice_ = last_notice_;
  buried_to_ = 0;
  applied_.emplace(applied.open_image());
  // Reading starts with the cursor, because everything that can fail has succeeded.
  cursor_.emplace(map.open_snapshot());
  step_ = step::reading;
}

// A key that was set again is in the map, which comes behind. Returns how many it may still read.
std::size_t map_writer::read_buried(const tombstones& erased, std::size_t most) {
  if (buried_to_ == cursor_->number()) {
    return most;
  }
  erased.for_each(buried_to_, cursor_->number(), [&](const tombstones::erasure& one) {
    if (most == 0) {
      return false;
    }
    --most;
    whole_.push_back(
        {.what = map_operation::set, .number = one.number, .id = one.id, .key = one.key});
    buried_to_ = one.number;
    return true;
  });
  if (most != 0) {
    buried_to_ = cursor_->number();
  }
  return most;
}

bool map_writer::read_whole(store& map, update_register& applied, const tombstones& erased,
                            std::string_view server_record, std::size_t most, time_point now) {
  if (!cursor_) {
    begin_whole(map, applied, erased, server_record);
  }
  most = read_buried(erased, most);
  if (most == 0) {
    return false;
  }
  if (!cursor_->at_end()) {
    cursor_->read(most, [&](const store::entry& e) {
      whole_.push_back({.what = map_operation::set,
                        .number = e.number(),
                        .id = e.id(),
                        .key = std::string{e.key()},
                        .value = std::string{e.value()},
                        .ttl = left_of(e.deadline(), now)});
      return true;
    });
    return false;
  }
  if (auto piece = applied_->next(); !piece.empty()) {
    whole_.push_back({.what = map_operation::add_applied, .value = std::move(piece)});
    return false;
  }
  whole_.push_back({.what = map_operation::remember, .value = whole_server_record_});
  whole_.push_back({.what = map_operation::note, .number = cursor_->number()});
  cursor_.reset();
  applied_.reset();
  step_ = step::given;
  return true;
}

void map_writer::take(std::vector<std::vector<map_change>>& out) {
  if (!whole_.empty() && step_ == step::given) {
    on_the_way_.push_back({whole_.back().number, whole_notice_, 0, true});
    server_record_ = whole_server_record_;
    out.push_back(std::exchange(whole_, {}));
  }
  if (changes_.empty() || step_ == step::waiting || step_ == step::reading) {
    return;
  }
  if (next_server_record_ != server_record_) {
    server_record_ = next_server_record_;
    changes_.push_back({.what = map_operation::remember, .value = server_record_});
  }
  on_the_way_.push_back({last_, last_notice_, std::exchange(changes_bytes_, 0), false});
  out.push_back(std::exchange(changes_, {}));
}

void map_writer::on_refused(time_point now) {
  how_ = store_status::full;
  step_ = step::waiting;
  drop_changes();
  retry_at_ = now + pause_;
  pause_ = std::min(2 * pause_, longest_pauses * retry_);
}

void map_writer::on_written(boost::system::error_code ec, time_point now) {
  if (on_the_way_.empty()) {
    return;
  }
  const auto done = on_the_way_.front();
  on_the_way_.pop_front();
  bytes_ -= done.bytes;
  if (how_ == store_status::failed) {
    return;
  }
  if (ec == zmtp::storage_errc::store_failed) {
    how_ = store_status::failed;
    step_ = step::waiting;
    drop_whole();
    drop_changes();
    return;
  }
  // Ignores writes of an earlier map, and writes after a rejected one.
  const bool matters = done.of_this_map && (done.whole || step_ == step::following);
  if (ec) {
    if (matters) {
      on_refused(now);
    }
    return;
  }
  if (done.of_this_map) {
    durable_ = std::max(durable_, done.number);
    durable_notice_ = std::max(durable_notice_, done.notice);
  }
  if (done.whole && done.of_this_map) {
    how_ = store_status::all;
    step_ = step::following;
    pause_ = retry_;
  }
}

}  // namespace chp
