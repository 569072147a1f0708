#include "test/chp/simulation/map_history.h"

#include "chp/client.h"
#include "chp/error.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

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
                      const std::optional<std::string>& copy) {
  auto& u = updates_[which];
  world_->note("end of " + name(u) + ": " + (ec ? ec.message() : std::string{to_string(says)}),
               {which});
  switch (outcome_of(ec)) {
    case outcome::unknown: return;
    case outcome::not_made: u.became = ec == errc::not_sent ? fate::never : fate::not_there; return;
    case outcome::committed: break;
  }
  ++committed_;
  on_both_ += is_on_both(says) ? 1U : 0U;
  u.became = fate::committed;
  u.says = says;
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
  if (!ec && !may_be_older && !explains(copy, u)) {
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
    }
  } else if (found != writers_.end()) {
    updates_[found->second].reported_lost = true;
  }
}

void map_history::on_told_history_lost(std::string_view client) {
  for (auto& u : updates_) {
    u.may_return = u.may_return || (u.client == client && was_told_absent(u));
  }
}

void map_history::on_untellable(std::string_view client) {
  untellable_[std::string{client}] = true;
}

void map_history::on_lost_line(const std::string& line, const content& kept) {
  const auto parsed = boost::json::parse(line).as_object();
  if (parsed.contains("incomplete")) {
    for (auto& u : updates_) {
      u.not_in_log = u.not_in_log || !is_kept(u.key);
    }
    return;
  }
  ++lines_;
  const std::string key{parsed.at("key").as_string()};
  if (parsed.contains("erased")) {
    for (const auto each : erasures_[key]) {
      updates_[each].in_file = true;
    }
    return;
  }
  const auto writer = writers_.find(std::string_view{parsed.at("value").as_string()});
  if (writer == writers_.end()) {
    report(violation::unknown_value, "in a file: " + line);
    return;
  }
  auto& u = updates_[writer->second];
  u.in_file = true;
  if (u.ended != 0 && is_on_both(u.says) && !u.gone && !explains(value_in(kept, u.key), u)) {
    report(violation::cut_of_both, name(u));
  }
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

// A server with a part of what both servers had does not become active. If the other server then
// loses everything, that server becomes active without data.
void map_history::on_stopped(std::string_view host) {
  ++stopped_;
  if (!empty_promoted_ && std::none_of(updates_.begin(), updates_.end(), [](const update& u) {
        return u.gone && is_on_both(u.says);
      })) {
    report(violation::stopped, std::string{host});
  }
}

void map_history::on_empty_promoted() {
  empty_promoted_ = true;
  for (auto& u : updates_) {
    u.gone = true;
    u.was_on_both = true;
  }
}

// A server that has lost its data and copies the log again has no key yet, so one map without the
// key does not prove an expiry.
bool map_history::has(const std::vector<content>& left, const update& u) const {
  const auto has_it = [&](const content& map) {
    return !map.empty() && explains(value_in(map, u.key), u);
  };
  return u.value.empty() && expires(u.key) ? std::all_of(left.begin(), left.end(), has_it)
                                           : std::any_of(left.begin(), left.end(), has_it);
}

bool map_history::holds_value(const std::vector<content>& left, const update& u) {
  return !u.value.empty() && std::any_of(left.begin(), left.end(), [&](const content& map) {
    return value_in(map, u.key) == u.value;
  });
}

void map_history::on_loss(const std::vector<content>& left, bool certain) {
  for (auto& u : updates_) {
    // A server can still read an update from its connection to the server that lost it.
    u.gone = u.gone && (empty_promoted_ || !holds_value(left, u));
    if (u.gone || has(left, u)) {
      continue;
    }
    u.was_on_both = !certain || more_on_both_at_ > u.began;
    if (u.ended == 0) {
      u.was_gone = true;
      continue;
    }
    u.gone = true;
    ++gone_;
    world_->note("no server has " + name(u), {});
  }
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
    if (u.was_seen && !u.gone && !u.was_gone) {
      report(violation::seen_lost, name(u));
    }
    if (u.ended != 0) {
      judge_loss(u, now);
    }
  }
}

void map_history::judge_loss(const update& u, const std::optional<std::string_view>& now) {
  const auto text = name(u) + ", " + std::string{to_string(u.says)} + ", now " +
                    (now ? std::string{*now} : "nothing");
  if (is_on_both(u.says) || (rules_.witness && u.says != truth::unknown)) {
    if (!u.gone) {
      report(now ? violation::older_wins : violation::lost, text);
    }
    return;
  }
  if (!u.reported_lost && !u.was_on_both && !untellable_.contains(u.client)) {
    report(violation::unreported_loss, text);
  }
  if (!u.gone && !u.in_file && !u.not_in_log) {
    report(violation::not_in_file, text);
  }
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
