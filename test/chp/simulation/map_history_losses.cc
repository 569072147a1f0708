// Losses of servers, and their reports.
#include "test/chp/simulation/map_history.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>

namespace chp::simulation {

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

void map_history::on_active(server of) {
  active_.push_back({of, ++steps_});
  if (look_) {
    find_again(look_());
  }
}

// A server can still read an update from its connection to the server that lost it.
void map_history::find_again(const std::vector<content>& maps) {
  for (auto& u : updates_) {
    u.gone = u.gone && (empty_promoted_ || !holds_value(maps, u));
  }
}

void map_history::on_loss(const std::vector<content>& left, bool certain) {
  find_again(left);
  for (auto& u : updates_) {
    const bool holds = holds_value(left, u);
    // The log that is left can give the key an older value again.
    const bool is_there = has(left, u);
    u.may_be_gone = !holds && (certain ? u.may_be_gone && !is_there : u.ended != 0);
    if (u.gone || is_there) {
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

void map_history::judge_loss(const update& u, const std::optional<std::string_view>& now) {
  const auto text = name(u) + ", " + std::string{to_string(u.says)} + ", now " +
                    (now ? std::string{*now} : "nothing");
  if (is_on_both(u.says) || (rules_.witness && u.says != truth::unknown)) {
    if (!u.gone && !u.may_be_gone) {
      report(now ? violation::older_wins : violation::lost, text);
    }
    return;
  }
  if (!u.reported_lost && !u.was_on_both && !untellable_.contains(u.client)) {
    report(violation::unreported_loss, text);
  }
  if (!u.gone && !u.may_be_gone && !u.in_file && !u.not_in_log) {
    report(violation::not_in_file, text);
  }
}

}  // namespace chp::simulation
