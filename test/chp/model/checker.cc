#include "test/chp/model/checker.h"

#include <algorithm>

namespace chp::model {

namespace {
std::string server(const participant& r) { return r.self() == 0 ? "primary" : "backup"; }
}  // namespace

void checker::say(const std::string& line) {
  if (tracing) {
    trace.push_back(std::to_string(around_.now) + "  " + line);
  }
}

void checker::note_durable() {
  for (const auto& r : servers_) {
    if (!r || r->is() == participant::role::down) {
      continue;
    }
    const number durable = r->durable();
    const auto& log = r->state().log;
    for (auto e = log.rbegin(); e != log.rend(); ++e) {
      if (e->at <= durable) {
        unsigned& had = entries_.at(e->stamp).had;
        if ((had >> r->self() & 1) != 0) {
          break;
        }
        had |= 1U << r->self();
      }
    }
  }
}

void checker::after_event() {
  ++events_;
  note_durable();
  for (const auto& r : servers_) {
    if (r && r->in_sync()) {
      const entry* const e = r->state().find(r->state().commit);
      require(e == nullptr || (entries_.at(e->stamp).had >> (1 - r->self()) & 1) != 0,
              promise::in_sync_has_all,
              [&] { return "the backup counts as in sync without " + text(r->state().commit); });
    }
  }
}

bool checker::holds(const participant& r, const known_entry& e) const {
  const kept& state = r.has_store() ? r.on_disk() : r.state();
  const entry* const found = state.find(e.what.at);
  return found != nullptr && found->stamp == e.what.stamp;
}

void checker::after_loss() {
  for (auto& [stamp, e] : entries_) {
    if ((e.had == 3 || (e.had != 0 && around_.how.has_witness)) && !e.gone) {
      e.gone = std::none_of(servers_.begin(), servers_.end(),
                            [this, &e = e](const auto& r) { return r && holds(*r, e); });
      if (e.gone) {
        ++losses_;
        say("nobody has " + text(e.what) + " any more");
      }
    }
  }
}

bool checker::data_elsewhere(std::size_t server) const {
  const auto& other = servers_[1 - server];
  return other && !(other->has_store() ? other->on_disk() : other->state()).lacks_data();
}

void checker::on_active(const participant& r, epoch e) {
  say(server(r) + " becomes active in epoch " + std::to_string(e) + ", end " +
      text(r.state().end()));
  require(e < 500'000, promise::epochs_last, [&] { return "epoch " + std::to_string(e); });
  if (r.state().lacks_data() && data_elsewhere(r.self())) {
    require(by_hand_ || wiped_[r.self()], promise::data_before_emptiness,
            [&] { return server(r) + " serves an empty map"; });
    root_over_data_ = true;
  }
  if (!wiped_[r.self()]) {
    require(epochs_[r.self()].insert(e).second, promise::epoch_once,
            [&] { return "epoch " + std::to_string(e) + " twice"; });
  }
}

void checker::on_record(const membership& record) {
  if (tracing) {
    std::string members;
    for (const auto each : record.in_sync) {
      for (const auto& r : servers_) {
        members += each == r->member() ? " " + server(*r) : "";
      }
    }
    say("witness: epoch " + std::to_string(record.epoch) + ", in sync:" + members);
  }
}

void checker::on_passive(const participant& r) { say(server(r) + " becomes passive"); }
void checker::on_in_sync(const participant& r) { say(server(r) + ": the backup is in sync"); }
void checker::on_backup_dropped(const participant& r) { say(server(r) + " drops the backup"); }
void checker::on_published(const participant& r) {
  if (tracing) {
    say(server(r) + " publishes up to " + text(r.state().published));
  }
}

void checker::on_resume(const participant& r) {
  looks_until_[r.self()] = around_.now + around_.how.expiry;
  say(server(r) + " was paused for longer than the expiry");
}

void checker::on_stopped(const participant& r) {
  say(server(r) + " stops: the history of the other server lacks what both had");
  require(root_over_data_, promise::stops_with_cause, [&] { return server(r) + " stopped"; });
}

void checker::on_append(const participant& r, const entry& e) {
  if (tracing) {
    say(server(r) + " appends " + text(e));
  }
  entries_[e.stamp] = {.what = e, .made_at = around_.now};
  if (e.what == kind::expiry) {
    const entry* const value = r.state().find(e.tag_or_ends);
    require(value == nullptr || entries_.at(value->stamp).made_at + value->ttl <= around_.now,
            promise::expires_never_early, [&] { return text(e); });
  }
  for (const entry& old : r.state().log) {
    require(e.update == 0 || old.update != e.update, promise::carried_out_once,
            [&] { return text(e) + " was made as " + text(old); });
    require(e.session == 0 || old.session != e.session || old.counter < e.counter,
            promise::carried_out_once, [&] { return text(e) + " came after " + text(old); });
  }
  if (e.what == kind::set || e.what == kind::erase) {
    const known_update& u = updates_[e.update];
    require(!u.refused, promise::carried_out_once, [&] { return text(e) + " was refused before"; });
    require(!u.reported, promise::carried_out_once,
            [&] { return text(e) + " was reported as lost before"; });
  }
}

void checker::on_answer(const participant& r, const answer& a) {
  ++answers_;
  note_durable();
  if (tracing) {
    say(server(r) + " answers id " + std::to_string(a.session) + ":" + std::to_string(a.counter) +
        (a.made ? " made as " : " refused as ") + text(a.at) +
        (a.says == truth::both ? ", both" : ", one server"));
  }
  known_entry& e = entries_.at(a.stamp);
  const bool claims_both = a.says == truth::both || around_.how.block;
  require(!claims_both || e.had == 3, promise::both_is_true,
          [&] { return text(e.what) + " is on one server alone"; });
  require(looks_until_[r.self()] <= around_.now, promise::looks_after_pause,
          [&] { return text(e.what); });
  e.answered = true;
  e.answered_both = e.answered_both || a.says == truth::both;
}

void checker::on_cut(const participant& r, number common, const std::vector<number>& file,
                     bool incomplete, bool by_hand) {
  ++cuts_;
  say(server(r) + " cuts what is above " + text(common) + ", " + std::to_string(file.size()) +
      " in its file");
  require(by_hand || std::min(r.state().both, r.state().end()) <= common,
          promise::cut_is_one_servers, [&] { return "the server knew that both had more"; });
  for (const entry* e = r.state().above(common); e != r.state().log.data() + r.state().log.size();
       ++e) {
    const known_entry& known = entries_.at(e->stamp);
    require(!known.answered_both || known.gone || root_over_data_, promise::cut_is_one_servers,
            [&] { return text(*e) + " was acknowledged by both"; });
    const bool listed = std::find(file.begin(), file.end(), e->at) != file.end();
    require(listed || (incomplete && e->at < r.state().first && r.state().map[e->key].at != e->at),
            promise::cut_is_in_file, [&] { return text(*e) + " is not in the file"; });
  }
}

void checker::on_begin(const client& c, const update& u) {
  if (tracing) {
    say("client " + std::to_string(c.self()) + " begins update " + std::to_string(u.number) +
        (u.erases ? ", erases key " : ", sets key ") + std::to_string(u.key));
  }
  updates_[u.number].began = events_;
}

void checker::on_result(const client& c, const call& what) {
  static constexpr std::array names{"pending", "one server", "both", "refused", "lost", "unknown"};
  if (tracing) {
    say("client " + std::to_string(c.self()) + ": update " + std::to_string(what.what.number) +
        " is " + names.at(static_cast<std::size_t>(what.came_to)));
  }
  known_update& u = updates_[what.what.number];
  u.refused = u.refused || (what.came_to == result::refused && !what.kept);
  u.reported = u.reported || (what.came_to == result::lost && !what.kept);
  if (u.ended == 0 && (what.came_to == result::one || what.came_to == result::both)) {
    u.ended = events_;
  }
}

void checker::check_log(const kept& history) const {
  rows_of_map map{};
  for (const entry& e : history.log) {
    if (e.at <= history.published) {
      apply(map, e, 0);
    }
  }
  require(map == history.map, promise::map_is_the_log,
          [&] { return "a map differs from its log"; });
}

void checker::on_adopt(const client& c, const snapshot& s, bool lost, const position& seen,
                       std::uint64_t stamp, bool seen_degraded, unsigned asked) {
  if (tracing) {
    say("client " + std::to_string(c.self()) + " follows from " + text(s.published) +
        (lost ? ", history_lost" : ""));
  }
  kept shown;
  shown.log = s.history;
  shown.published = s.published;
  shown.map = s.map;
  check_log(shown);
  const entry* const e = shown.find(seen.at);
  const bool contained = seen.at == 0 || (e != nullptr && e->stamp == stamp);
  require(lost || contained, promise::history_lost_is_told,
          [&] { return "a client was not told that " + text(seen.at) + " is lost"; });
  const auto known = entries_.find(stamp);
  const bool may_be_lost =
      seen_degraded || root_over_data_ || (known != entries_.end() && known->second.gone);
  require(!lost || may_be_lost, promise::history_lost_is_told,
          [&] { return text(seen.at) + " is lost, which was not degraded"; });
  const unsigned reach = around_.how.reach[c.self()];
  require(!lost || (asked & reach) == reach, promise::history_lost_is_told,
          [&] { return "another server was not asked"; });
}

void checker::at_end(const std::vector<client>& clients) {
  const participant& a = *servers_[0];
  const participant& b = *servers_[1];
  const participant& active = a.is() == participant::role::active ? a : b;
  const kept& history = active.state();
  require(a.state().end() == b.state().end() && history.published == history.end(),
          promise::ends_well, [&] { return "the ends differ"; });
  check_log(a.state());
  check_log(b.state());
  std::map<std::uint32_t, const entry*> made;
  for (const entry& e : history.log) {
    if (e.update != 0 && e.what != kind::refusal) {
      made[e.update] = &e;
    }
  }
  for (const auto& [stamp, e] : entries_) {
    const entry* const found = history.find(e.what.at);
    require(!e.answered_both || e.gone || root_over_data_ ||
                (found != nullptr && found->stamp == stamp),
            promise::acknowledged_is_kept, [&e = e] { return text(e.what) + " is lost"; });
    require(!around_.how.has_witness || !e.answered || e.gone ||
                (found != nullptr && found->stamp == stamp),
            promise::witness_keeps_all, [&e = e] { return text(e.what) + " is lost"; });
  }
  for (const auto& [first_number, first] : made) {
    for (const auto& [second_number, second] : made) {
      const known_update& replaced = updates_.at(first_number);
      const known_update& older = updates_.at(second_number);
      require(first->key != second->key || first->at >= second->at || older.ended == 0 ||
                  older.ended >= replaced.began,
              promise::real_time_order, [&first = first, &second = second] {
                return text(*second) + " ended before the update began that it replaces, " +
                       text(*first);
              });
    }
  }
  for (const client& c : clients) {
    require(c.map() == history.map, promise::ends_well,
            [&] { return "the map of client " + std::to_string(c.self()) + " differs"; });
    for (const call& l : c.calls()) {
      const bool is_made = made.contains(l.what.number);
      require(!is_made || root_over_data_ ||
                  (l.came_to != result::lost && l.came_to != result::refused),
              promise::carried_out_once,
              [&] { return "update " + std::to_string(l.what.number) + " is made after all"; });
      const bool acknowledged = l.came_to == result::one || l.came_to == result::both;
      const bool listed =
          made.contains(l.what.number) || l.came_to == result::lost || l.came_to == result::unknown;
      const bool excused = l.came_to == result::both || root_over_data_;  // decided above
      require(!acknowledged || listed || excused, promise::loss_is_reported, [&] {
        return "update " + std::to_string(l.what.number) + " is lost, and its client was not told";
      });
    }
  }
}

}  // namespace chp::model
