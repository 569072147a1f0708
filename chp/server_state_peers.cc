// The part of server_state for the peers of its publisher and of its snapshot port.

#include "chp/command.h"
#include "chp/pair_messages.h"
#include "chp/server_state.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>

namespace chp {

namespace {
// A key that the map rarely has. Clients that follow a subtree ignore it.
constexpr std::string_view absent_key = "HUGZ passed";
constexpr sequence max_passed = 1'000;
constexpr std::size_t snapshots_ended_at_once = 64;
}  // namespace

// Subscribers.

void server_state::on_subscriber_attached(zmtp::peer_id peer, const zmtp::metadata& metadata,
                                          std::string_view user_id) {
  auto parsed = parse_announcement(metadata);
  if (!options_.access.permits_all() &&
      !access_.attach_subscriber(peer, user_id, parsed.acks, parsed.session)) {
    parsed.session.reset();
  }
  notices_.attach(peer, parsed);
}

void server_state::on_subscription(zmtp::peer_id peer, std::string_view topic, actions& out) {
  if (!options_.access.permits_all()) {
    access_.subscribe(peer, topic, out.subscriptions);
  }
  if (topic != "HUGZ" || options_.wire_format != form::kvmsg) {
    return;
  }
  if (notices_.earlier().empty()) {
    passed_ = log_.state().past().published();
  }
  notices_.subscribe(peer, log_.state().past().clients());
  if (active()) {
    notices_.greet(peer, paired() && log_.degraded(), out.tell);
  }
}

void server_state::on_subscription_end(zmtp::peer_id peer, std::string_view topic, actions& out) {
  if (!options_.access.permits_all()) {
    access_.cancel(peer, topic, out.subscriptions);
  }
}

// Clients of Zinc's earlier version take a number that they do not get for a lost update. So for each
// number that is not published, they alone get an erasure of a key that the map does not have.
void server_state::insert_passed(actions& out) {
  const bool is_absent = map().find(absent_key) == nullptr;
  auto behind = out.publish.size();
  for (const auto published : from_log_.publish) {
    const auto at = behind++;
    const auto input = parse_publication(published, form::kvmsg, {.max_value_size = SIZE_MAX});
    const auto* const u = input ? std::get_if<update>(&*input) : nullptr;
    if (u == nullptr) {
      continue;  // not in this form, or too long for a client
    }
    if (u->number <= passed_) {
      continue;  // for clients that stayed; these have a later snapshot
    }
    const auto number = u->number;
    auto next = std::max(passed_ + 1, make_sequence(epoch_of(number), 1));
    passed_ = number;
    if (!is_absent || number - next > max_passed) {
      continue;
    }
    for (; next < number; ++next) {
      const auto m = make_entry(form::kvmsg, absent_key, next, update_id{}.bytes(), {}, {});
      for (const auto peer : notices_.earlier()) {
        out.insert.push_back({at, {peer, m}});
      }
    }
  }
}

// The snapshot port.

void server_state::on_snapshot_client_attached(zmtp::peer_id peer, const zmtp::metadata& metadata,
                                               std::string_view user_id) {
  streams_.attach(peer, parse_announcement(metadata), user_id);
}

void server_state::on_snapshot_client_detached(zmtp::peer_id peer) {
  streams_.detach(peer);
  if (backup_ == peer) {
    backup_.reset();
    if (log_.is_active()) {
      log_.on_peer_lost(from_log_);
    }
  }
}

bool server_state::is_vote(zmtp::peer_id peer, const zmtp::message& m) const {
  const auto request = parse_snapshot_request(m);
  const auto* const client = streams_.find(peer);
  return request && client != nullptr && !client->backup;
}

void server_state::on_snapshot_client_message(zmtp::peer_id peer, const zmtp::message& m,
                                              time_point now, actions& out) {
  if (is_pair_message(m)) {
    on_backup_message(peer, m, now, out);
    return;
  }
  const auto request = parse_snapshot_request(m);
  if (!request) {
    refuse(request.error());
    return;
  }
  const auto* const client = streams_.find(peer);
  const auto user = streams_.user_of(peer);
  if (client != nullptr && access_.restricted()) {
    if (client->backup && !access_.may_copy(user)) {
      return;
    }
    // Counts only. Zinc's clients get FORBIDDEN, and others the part that they may read.
    (void)access_.may_read(user, client->acks, *request);
  }
  const auto done = active() ? streams_.ask(peer, *request) : snapshot_streams::asked::refused;
  switch (done) {
    case snapshot_streams::asked::first: out.stream.push_back(peer); return;
    case snapshot_streams::asked::another: return;
    case snapshot_streams::asked::refused: ++counters_.ignored_requests; return;
  }
}

void server_state::on_backup_message(zmtp::peer_id peer, const zmtp::message& m, time_point now,
                                     actions& out) {
  const auto* const client = streams_.find(peer);
  if (!paired() || client == nullptr || !client->backup || !log_.is_active()) {
    ++counters_.ignored_messages;
    return;
  }
  if (access_.restricted() && !access_.may_copy(streams_.user_of(peer))) {
    return;
  }
  if (backup_ != peer) {
    if (backup_) {
      out.close_snapshot_clients.push_back(*backup_);
      log_.on_peer_lost(from_log_);
    }
    backup_ = peer;
  }
  log_.on_peer_message(m, now, from_log_);
}

void server_state::on_writable(zmtp::peer_id peer, actions& out) {
  if (!log_.is_active()) {
    return;
  }
  if (backup_ == peer) {
    log_.on_peer_writable(from_log_);
    pass_on_peer(out);
    return;
  }
  if (!active()) {
    return;
  }
  const auto made = streams_.write(peer, source(), out.reply);
  counters_.snapshots += made.ended && !made.forbidden ? 1U : 0U;
  if (made.more) {
    out.stream.push_back(peer);
  }
}

// Peers that read slowly, or not at all, must not make the server keep ever more past entries. One
// snapshot needs no more than one map, so the only one goes on. A copy to a backup goes on too: it
// keeps no more changes than the log, which is not trimmed meanwhile.
void server_state::bound_past_entries(actions& out) {
  const auto& past = map().past();
  const auto is_over = [&] {
    return past.is_tidy() && past.open_views() > 1 &&
           (past.size() > std::max(options_.map.max_keys, map().keys()) ||
            past.bytes() > std::max(options_.map.max_bytes, map().bytes()));
  };
  // Snapshots of one moment need the same entries, so several may have to end.
  for (auto left = snapshots_ended_at_once; left != 0 && is_over(); --left) {
    const auto peer = streams_.end_oldest();
    if (!peer) {
      return;  // the backup's copy is older
    }
    out.close_snapshot_clients.push_back(*peer);
    ++counters_.slow_snapshots;
  }
}

// Sends the messages of the log to the other server.
void server_state::pass_on_peer(actions& out) {
  for (auto& m : std::exchange(from_log_.to_peer, {})) {
    if (!log_.is_active()) {
      out.ask.push_back(std::move(m));
    } else if (backup_) {
      out.reply.push_back({*backup_, std::move(m)});
    }
  }
  if (std::exchange(from_log_.stream_copy, false) && backup_) {
    out.stream.push_back(*backup_);
  }
  if (!std::exchange(from_log_.close_peer, false)) {
    return;
  }
  if (log_.is_active() && backup_) {
    out.close_snapshot_clients.push_back(*backup_);
  } else if (!log_.is_active() && source_ == source_kind::zinc && !log_.stopped()) {
    source_ = source_kind::none;
    greet_at_.reset();
    out.reconnect_source = true;
  }
}

}  // namespace chp
