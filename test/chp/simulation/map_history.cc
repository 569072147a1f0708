#include "test/chp/simulation/map_history.h"

#include "chp/client.h"
#include "chp/error.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace chp::simulation {

map_history::index map_history::begin(std::string_view client, std::string key, std::string value,
                                      std::chrono::seconds ttl) {
  const auto which = updates_.size();
  const auto now = world_->events.now();
  if (value.empty()) {
    erasures_[key].push_back(which);
  } else {
    writers_.emplace(value, which);
  }
  if (ttl.count() != 0) {
    expiring_[key].push_back(which);
  }
  if (expires(key) && !value.empty()) {
    leases_.push_back({.which = which, .key = key, .began = now, .ttl = ttl});
  }
  updates_.push_back({.client = std::string{client},
                      .key = std::move(key),
                      .value = std::move(value),
                      .ttl = ttl,
                      .began_at = now,
                      .began = ++steps_});
  world_->note("update " + name(updates_.back()), {which});
  return which;
}

void map_history::end(index which, const boost::system::error_code& ec, truth says,
                      const std::optional<std::string>& copy, server by) {
  auto& u = updates_[which];
  world_->note("end of " + name(u) + ": " + (ec ? ec.message() : std::string{to_string(says)}),
               {which});
  switch (outcome_of(ec)) {
    case outcome::unknown: return;
    case outcome::not_made:
      u.became = ec == errc::not_sent ? fate::never : fate::not_there;
      u.told_absent = ++steps_;
      return;
    case outcome::committed: break;
  }
  ++committed_;
  on_both_ += is_on_both(says) ? 1U : 0U;
  u.became = fate::committed;
  u.says = says;
  u.by = by;
  u.ended = ++steps_;
  // The outcome can be under way while the servers lose the update, and a deadline can pass later.
  if (u.was_gone && !has(look_ ? look_() : std::vector<content>{}, u)) {
    u.gone = true;
    ++gone_;
  }
  check_truth(u);
  // A server of the Guide executes updates again when it becomes active, so older ones come back.
  const bool may_be_older = rules_.beside_guide && says == truth::unknown && !is_kept(u.key);
  // Without an error only: errc::not_on_both can come while the client asks a server whose history
  // does not have the update.
  if (!ec && !may_be_older && !explains(copy, u) && !is_repeated(u, copy)) {
    report(violation::not_in_copy, name(u) + ", copy: " + copy.value_or("nothing"));
  }
}

// A server of the Guide does not say what it has, so the other server cannot know.
void map_history::check_truth(const update& u) {
  const auto text = name(u) + " is on " + std::string{to_string(u.says)};
  if (rules_.beside_guide && is_on_both(u.says)) {
    report(violation::claims_guide, text);
  }
  const bool may_end = rules_.beside_guide ? u.says == truth::unknown : is_on_both(u.says);
  if (rules_.block && !may_end) {
    report(violation::one_in_block, text);
  }
  if (u.says == truth::both_disks && !(rules_.stores[0] && rules_.stores[1])) {
    report(violation::not_on_both, text + ", without two stores");
  }
  for (const server each : {0U, 1U}) {
    // Other keys can have a newer value when a server copies the map.
    if (is_on_both(u.says) && is_kept(u.key) && rules_.stores[each] && !u.on_disk[each]) {
      report(violation::not_on_both, text + ", not on disk " + std::to_string(each));
    }
  }
}

void map_history::on_disk(server of, std::string_view value) {
  if (const auto writer = writers_.find(value); writer != writers_.end()) {
    updates_[writer->second].on_disk[of] = true;
  }
}

// The name of such a key ends with its value.
void map_history::on_seen(std::string_view key) {
  const auto writer = writers_.find(key.substr(key.rfind('/') + 1));
  if (writer != writers_.end()) {
    updates_[writer->second].was_seen = true;
  }
}

// A copy of an update can be on its way to one server while the other acknowledges the update. The
// server that executes the copy, in a reign of its own, need not be the one that sends the outcome.
bool map_history::is_repeated(const update& u, const std::optional<std::string>& copy) const {
  if (rules_.witness || rules_.beside_guide) {
    return false;
  }
  const auto is_on_other = [&](index each) {
    const auto& other = updates_[each];
    return other.became == fate::committed && !is_on_both(other.says) &&
           (other.by != u.by || std::any_of(active_.begin(), active_.end(), [&](activation a) {
              return a.of != other.by && a.at > other.ended;
            }));
  };
  if (copy) {
    const auto writer = writers_.find(*copy);
    return writer != writers_.end() && is_on_other(writer->second);
  }
  const auto erasures = erasures_.find(u.key);
  return erasures != erasures_.end() &&
         std::any_of(erasures->second.begin(), erasures->second.end(), is_on_other);
}

// An erasure that both servers have.
void map_history::on_expired(const lease& of, const std::string& host) {
  if (of.expiry != 0) {
    return;
  }
  ++expired_;
  const auto which = begin(host, of.key, {});
  updates_[which].became = fate::committed;
  updates_[which].says = truth::both_servers;
  updates_[which].ended = ++steps_;
  std::find_if(leases_.begin(), leases_.end(), [&](const lease& each) {
    return each.which == of.which;
  })->expiry = which;
}

void map_history::on_present(const lease& of, const std::string& host) {
  if (of.expiry != 0 && !updates_[of.expiry].gone) {
    report(violation::expired_returns, of.key + " on " + host);
    updates_[of.expiry].gone = true;
  }
}

bool map_history::can_be_over(const update& u) const {
  return (world_->events.now() - u.began_at) * fastest_clock >= u.ttl * 100;
}

void map_history::forget(index which) {
  world_->note("the client of " + name(updates_[which]) + " has ended", {which});
}

void map_history::on_told_lost(std::string_view key, std::string_view value) {
  ++reported_lost_;
  world_->note("told lost: " + std::string{key} + '=' + std::string{value}, {});
  const auto found = writers_.find(value);
  if (value.empty()) {
    // Erasures of a key cannot be told apart.
    for (const auto each : erasures_[std::string{key}]) {
      updates_[each].reported_lost = true;
      updates_[each].told_absent = ++steps_;
    }
  } else if (found != writers_.end()) {
    updates_[found->second].reported_lost = true;
    updates_[found->second].told_absent = ++steps_;
  }
}

void map_history::on_told_history_lost(std::string_view client) {
  for (auto& u : updates_) {
    u.may_return = u.may_return || (u.client == client && was_told_absent(u));
  }
}

void map_history::on_unserved(std::string_view client) {
  for (auto& u : updates_) {
    const auto is_later = [&u](activation a) { return a.at > u.told_absent; };
    u.may_return = u.may_return || (u.client == client && was_told_absent(u) &&
                                    std::any_of(active_.begin(), active_.end(), is_later));
  }
}

void map_history::on_untellable(std::string_view client) {
  untellable_[std::string{client}] = true;
}

bool map_history::explains(const std::optional<std::string_view>& now, const update& u) const {
  if (now) {
    const auto writer = writers_.find(*now);
    return writer == writers_.end() || !is_older(updates_[writer->second], u);
  }
  const auto any = [&](const auto& of, const auto& holds) {
    const auto found = of.find(u.key);
    return found != of.end() &&
           std::any_of(found->second.begin(), found->second.end(), [&](index each) {
             return !is_older(updates_[each], u) && holds(updates_[each]);
           });
  };
  return any(erasures_, [](const update&) { return true; }) ||
         any(expiring_, [this](const update& each) { return can_be_over(each); });
}

std::optional<std::string_view> map_history::value_in(const content& map, const std::string& key) {
  const auto found = map.find(key);
  return found == map.end() ? std::nullopt : std::optional<std::string_view>{found->second};
}

const map_history::update* map_history::writer_of(const std::string& key,
                                                  const std::string& value) {
  const auto writer = writers_.find(value);
  if (writer == writers_.end() || updates_[writer->second].key != key) {
    report(violation::unknown_value, key + '=' + value);
    return nullptr;
  }
  return &updates_[writer->second];
}

void map_history::check_values(const content& map) {
  for (const auto& [key, value] : map) {
    static_cast<void>(writer_of(key, value));
  }
}

void map_history::on_rest(const content& map) {
  for (const auto& [key, value] : map) {
    const auto* const writer = writer_of(key, value);
    if (writer == nullptr) {
      continue;
    }
    const auto& u = *writer;
    if (u.ttl.count() != 0) {
      report(violation::unexpired, name(u));
    }
    if (u.became == fate::never || (was_told_absent(u) && !u.may_return)) {
      report(violation::came_back, name(u));
    }
  }
  for (const auto& u : updates_) {
    const auto now = value_in(map, u.key);
    if (explains(now, u)) {
      continue;
    }
    if (u.was_seen && !u.gone && !u.may_be_gone && !u.was_gone) {
      report(violation::seen_lost, name(u));
    }
    if (u.ended != 0) {
      judge_loss(u, now);
    }
  }
}

std::vector<std::pair<std::string_view, std::size_t>> map_history::figures() const {
  const auto excused = std::count_if(updates_.begin(), updates_.end(), [](const update& u) {
    return u.ended != 0 && (u.gone || u.may_be_gone);
  });
  return {{"updates", updates_.size()},
          {"committed", committed_},
          {"on both", on_both_},
          {"reported lost", reported_lost_},
          {"lines of lost updates", lines_},
          {"expired on both", expired_},
          {"gone", gone_},
          {"whose loss would be excused", static_cast<std::size_t>(excused)},
          {"stopped servers", stopped_}};
}

std::string map_history::name(const update& u) {
  return u.client + ": " + u.key + '=' + (u.value.empty() ? "nothing" : u.value);
}

void map_history::report(violation what, std::string text) {
  using std::chrono::duration_cast, std::chrono::milliseconds;
  const auto time = duration_cast<milliseconds>(world_->events.now().time_since_epoch()).count();
  world_->note("violation: " + std::string{to_string(what)} + ": " + text, {});
  findings_.push_back({what, std::move(text) + ", at " + std::to_string(time) + " ms"});
}

}  // namespace chp::simulation
