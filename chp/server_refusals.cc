// What server_state does with updates that it does not make, and what a pair tells of them.

#include "chp/acknowledgement.h"
#include "chp/server_state.h"

#include <algorithm>
#include <limits>
#include <string>

namespace chp {

// It is never made, also when it comes again: who sent it is told so, and why, as soon as the backup and
// the disk know it, too.
void server_state::turn_away(const update_id& id, errc why, time_point now, actions& out) {
  refuse(why);
  if (!active_ || !id.has_session()) {
    return;
  }
  if (!applied_->refuse(id, why)) {
    acknowledge_again(id);
    return;
  }
  ++notices_;
  if (kept_) {
    kept_->refuse(id, why, notices_);
  }
  if (paired()) {
    std::string notice;
    append_refusal_notice(notice, {notices_, id.session(), id.counter(), why});
    for (const auto& [peer, said] : subscribers_) {
      if (said.backup) {
        out.tell.push_back({peer, make_heartbeat(notice)});
      }
    }
  }
  if (waits_for_backup()) {
    backup_.on_update(now);
  }
  if (is_told_later()) {
    acks_.await_notice(id.session(), id.counter(), notices_);
  } else {
    acks_.owe(id.session());
  }
}

// What clients send has room up to the limits. What one of a pair has accepted has had it there, and is taken by the
// other one, which may have been full as well while they were apart, but not by one that was so twice.
errc server_state::check_room(std::string_view key, std::string_view value,
                              std::size_t times) const {
  const auto most = [times](std::size_t limit) {
    return limit > std::numeric_limits<std::size_t>::max() / times
               ? std::numeric_limits<std::size_t>::max()
               : limit * times;
  };
  const auto after = key.size() + value.size();
  if (map_->keys() < most(options_.map.max_keys) &&
      map_->octets() + after <= most(options_.map.max_octets)) {
    return {};
  }
  const auto* const there = map_->find(key);
  if (there == nullptr && map_->keys() >= most(options_.map.max_keys)) {
    return errc::too_many_keys;
  }
  const auto before = there == nullptr ? 0 : there->key().size() + there->value().size();
  return after > before && map_->octets() - before + after > most(options_.map.max_octets)
             ? errc::too_many_octets
             : errc{};
}

bool server_state::is_refused(const update_id& id) const {
  if (!id.has_session()) {
    return false;
  }
  const auto refused = applied_->find(id.session()).refused;
  return std::any_of(refused.begin(), refused.end(), [&](const refusal& one) {
    return one.updates.first <= id.counter() && id.counter() <= one.updates.last;
  });
}

// What there is no room for among those that wait for the backup or the disk stays with its client.
bool server_state::puts_off(const update_id& id) {
  if (!id.has_session()) {
    return false;
  }
  const bool is_full = is_told_later() && acks_.waiting() >= options_.waiting_updates;
  if (is_full || put_off_.holds(id.session(), id.counter())) {
    put_off_.add(id.session(), id.counter());
    return true;
  }
  put_off_.on_taken(id.session(), id.counter());
  return false;
}

bool server_state::on_not_told(zmtp::peer_id peer) {
  acks_.not_taken(peer);
  const auto found = subscribers_.find(peer);
  return found != subscribers_.end() && found->second.backup;
}

// It is not to be made here either.
void server_state::note_refusal(const heartbeat& said) {
  if (const auto notice = find_refusal_notice(said.properties)) {
    const auto id = update_id::of_session(notice->session, notice->counter);
    applied_->refuse(id, notice->why);
    pending_.confirm(id);
    notices_heard_ = notice->number;
    if (kept_) {
      kept_->refuse(id, notice->why, notices_heard_);
    }
  }
}

}  // namespace chp
