// The part of server_state that uses a store.

#include "chp/server_state.h"

#include <algorithm>
#include <utility>

namespace chp {

namespace {

using boost::system::error_code;

// Batch sizes of incremental work.
constexpr std::size_t written_at_once = 1'024;
constexpr std::size_t committed_at_once = 10'000;
constexpr std::size_t forgotten_at_once = 1'000;
// Approximate memory of an update that waits for its acknowledgement, in bytes.
constexpr std::size_t waiting_size = 32;

}  // namespace

// Continues as after a pause since that write: the server still offers the updates that it had
// accepted and its peer did not have.
error_code server_state::restore(const stored_map& found, time_point now) {
  const auto known = unpack_pair_record(found.server_record).value_or(pair_record{});
  const bool is_diverged = paired() && known.accepted && found.number > known.base;
  kept_.emplace(found.number, options_.store_retry);
  std::vector<const stored_entry*> buried;
  for (const auto& e : found.entries) {
    if (e.value.empty()) {
      buried.push_back(&e);
      continue;
    }
    const auto deadline = e.ttl ? std::optional{now + *e.ttl} : std::nullopt;
    if (const auto fault =
            map_->check_room(e.key, e.value, paired() ? limits_of_both() : options_.map);
        fault != errc{}) {
      return fault;
    }
    if (const auto fault = map_->apply({e.key, e.value, e.id, deadline}, e.number);
        fault != errc{}) {
      return fault;
    }
  }
  map_->pass(found.number);
  for (const auto& piece : found.applied) {
    if (const auto ec = applied_->unpack(piece)) {
      return ec;
    }
  }
  std::sort(buried.begin(), buried.end(),
            [](const auto* a, const auto* b) { return a->number < b->number; });
  for (const auto* const one : buried) {
    if ((is_diverged && one->number > known.base) || awaits_earlier(one->id)) {
      erased_.add(one->key, one->id, one->number);
    } else {
      kept_->forget(one->key);
    }
  }
  backup_.begin(known.base);
  own_epoch_ = known.own_epoch;
  common_ = known.common;
  own_ = known.own;
  if (found.number != 0) {
    begun_ = known.begun;
  }
  is_diverged_ = is_diverged;
  return {};
}

pair_record server_state::record() const {
  return {.base = backup_.number(),
          .own_epoch = own_epoch_,
          .common = common_,
          .own = own_,
          .begun = begun_.value_or(0),
          .accepted = active_ || suspended_ || is_diverged_};
}

void server_state::keep_set(const store::change& to, sequence number, time_point now) {
  if (kept_) {
    kept_->set(to, number, now);
  }
}

// If the other server of the pair may not have the erasure, the erasure must survive a crash.
void server_state::keep_erasure(std::string_view key, const update_id& id, sequence number) {
  if (!kept_) {
    return;
  }
  if (paired() && (active_ || awaits_earlier(id))) {
    kept_->bury(key, id, number);
  } else {
    kept_->erase(key, id, number);
  }
}

// Something later has taken its place, and who sent it need not send it again: but the backup or the disk may
// not have that yet.
void server_state::settle_by_later(const update_id& id) {
  const auto number = map_->number();
  if (!applied_->insert(id)) {
    return;
  }
  if (kept_) {
    kept_->note(id, number);
  }
  const bool has_backup = !waits_for_backup() || (backup_.awaited() && backup_.number() >= number);
  if (id.has_session() && (kept_ || !has_backup)) {
    acks_.await(id.session(), id.counter(), number);
  }
}

// While the server still offers updates that it accepted before it adopted the other server's map,
// the store keeps the old map. After a crash, the server offers them again.
void server_state::write_whole(time_point now) {
  if (!kept_ || offered_.pending() || settling_.pending() ||
      !(kept_->reading() || kept_->wants_whole(now))) {
    return;
  }
  tidying_ = kept_->read_whole(*map_, *applied_, erased_, pack(record()), written_at_once, now) ||
             tidying_;
}

void server_state::write_down(actions& out) {
  if (!kept_) {
    return;
  }
  kept_->remember(pack(record()));
  kept_->take(out.write);
}

void server_state::on_written(error_code ec, time_point now, actions& out) {
  if (!kept_) {
    return;
  }
  const auto before = kept_->how();
  kept_->on_written(ec, now);
  if (const auto how = kept_->how(); how != before) {
    switch (how) {
      case store_status::nothing:
      case store_status::writing: break;
      case store_status::all: out.events.push_back(server_event::stored); break;
      case store_status::full: out.events.push_back(server_event::store_full); break;
      case store_status::failed: out.events.push_back(server_event::store_failed); break;
    }
  }
  if (active_) {
    commit();
    answer_offers(out);
  }
}

// A single server numbers updates only in an epoch that is on the disk, so that it never repeats a
// published number. The node of a pair has stored its epoch.
bool server_state::may_number() const noexcept {
  return paired() || !kept_ || epoch_of(kept_->durable()) == epoch_of(map_->number());
}

bool server_state::has_room() const noexcept {
  if (!may_number()) {
    return false;
  }
  return !kept_ || kept_->bytes() + acks_.waiting() * waiting_size <= options_.unwritten_bytes;
}

// Commits what the other server of the pair has, if updates wait for it, and what the disk has, if
// there is a store.
void server_state::commit() {
  auto mark = map_->number();
  auto notices = notices_;
  committing_ = false;
  if (backup_.awaited()) {
    mark = backup_.number();
    notices = backup_.notices();
  } else if (paired() && options_.degraded == degraded_policy::block) {
    return;
  }
  const bool all = acks_.commit(kept_ ? std::min(mark, kept_->durable()) : mark, committed_at_once);
  committing_ = !acks_.commit_notices(kept_ ? std::min(notices, kept_->durable_notice()) : notices,
                                      committed_at_once) ||
                !all;
}

// Adopted and settled updates are in the register before they are on the disk.
bool server_state::may_tell() const noexcept { return !kept_ || kept_->durable() >= told_from_; }

// Something that the same client did before may still come, and is not to undo it.
bool server_state::awaits_earlier(const update_id& id) const {
  if (!id.has_session()) {
    return false;
  }
  const auto gaps = applied_->find(id.session()).gaps;
  return !gaps.empty() && gaps.front().first < id.counter();
}

// Forgets the erasures that the other server has.
void server_state::forget_erasures(sequence to) {
  forgetting_erasures_ = !erased_.forget_to(
      to, forgotten_at_once,
      [this](const tombstones::erasure& one) { return awaits_earlier(one.id); },
      [this](const tombstones::erasure& one) {
        if (kept_ && map_->find(one.key) == nullptr) {
          kept_->forget(one.key);
        }
      });
}

}  // namespace chp
