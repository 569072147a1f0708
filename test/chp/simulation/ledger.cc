#include "test/chp/simulation/ledger.h"

#include "chp/properties.h"

#include <algorithm>
#include <utility>

namespace chp::simulation {

namespace {

// Added to deadlines, so that network delays and the duration of one check do not count as lateness.
constexpr std::chrono::milliseconds grace{1'500};

std::string text_of(sequence number) {
  return std::to_string(epoch_of(number)) + ":" + std::to_string(position_of(number));
}

}  // namespace

replica replica_of(const store& map) {
  replica all;
  map.for_each({}, [&](const store::entry& e) {
    all.emplace(e.key(), e.value());
    return true;
  });
  return all;
}

void ledger::report(violation what, std::string text) {
  using std::chrono::duration_cast, std::chrono::milliseconds;
  const auto time = duration_cast<milliseconds>(now().time_since_epoch()).count();
  world_->note("breach: " + text, {});
  findings_.push_back({what, "at " + std::to_string(time) + " ms: " + std::move(text)});
}

std::string ledger::name(std::uint32_t number) const {
  const auto& one = at(number);
  auto text = "update " + std::to_string(number) + (one.erases ? " erasing " : " of ") + one.key;
  for (const auto at : one.published) {
    text += " " + text_of(at);
  }
  return text;
}

// Clients.

std::uint32_t ledger::begin_update(std::string key, bool erases,
                                   std::optional<std::chrono::seconds> ttl) {
  const auto number = static_cast<std::uint32_t>(updates_.size() + 1);
  std::string value;
  if (!erases) {
    value = std::to_string(number) + " ";
    value.append(world_->random.pick(300), 'x');
  }
  updates_.push_back({.key = std::move(key),
                      .value = std::move(value),
                      .erases = erases,
                      .ttl = ttl,
                      .made = now(),
                      .id = {},
                      .published = {}});
  world_->note("update", {number, erases, ttl ? static_cast<std::uint64_t>(ttl->count()) : 0});
  return number;
}

void ledger::on_sent(std::uint32_t update, const update_id& id) {
  at(update).id = id;
  by_id_.emplace(id, update);
  if (id.has_session()) {
    auto& all = sessions_[id.session()];
    all.resize(std::max<std::size_t>(all.size(), id.counter()));
    all[id.counter() - 1] = update;
  }
}

void ledger::on_committed(std::uint32_t update) {
  auto& one = at(update);
  world_->note("committed: update", {update});
  one.committed = true;
  ++committed_;
  if (!one.promised) {
    report(violation::not_promised, name(update));
  }
}

void ledger::on_refused(std::uint32_t update) {
  world_->note("refused: update", {update});
  ++refused_;
  if (!at(update).refused) {
    report(violation::not_promised, name(update) + " is refused by no server");
  }
}

void ledger::expect_committed(std::uint32_t update) {
  if (!at(update).committed && !at(update).refused) {
    report(violation::stuck, name(update) + " is not committed");
  }
}

void ledger::check_known(const std::string& what, const replica& map) {
  for (const auto& [key, value] : map) {
    if (update_setting(key, value) == 0) {
      report(violation::invented, what + " has " + value.substr(0, 20) + " at " + key);
    }
  }
}

void ledger::check_map(const std::string& what, const replica& map, sequence number,
                       std::string_view subtree) {
  check_known(what, map);
  replica expected;
  for (const auto& [key, last] : history_.at(number)) {
    if (!last->erases && key.starts_with(subtree)) {
      expected.emplace(key, at(last->update).value);
    }
  }
  if (map == expected) {
    return;
  }
  std::string text = what + " at " + text_of(number);
  for (const auto& [key, value] : expected) {
    const auto found = map.find(key);
    if (found == map.end()) {
      text += ", lacks " + key + "=" + value.substr(0, value.find(' '));
    } else if (found->second != value) {
      text += ", has " + key + "=" + found->second.substr(0, found->second.find(' ')) + " for " +
              value.substr(0, value.find(' '));
    }
  }
  for (const auto& [key, value] : map) {
    if (!expected.contains(key)) {
      text += ", still has " + key + "=" + value.substr(0, value.find(' '));
    }
  }
  report(violation::differs, text);
}

// Servers.

std::uint32_t ledger::update_of(const update_id& id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? 0 : found->second;
}

// A value names its update.
std::uint32_t ledger::update_setting(std::string_view key, std::string_view value) const {
  const auto number = parse_number(value.substr(0, value.find(' '))).value_or(0);
  if (number == 0 || number > updates_.size()) {
    return 0;
  }
  const auto known = static_cast<std::uint32_t>(number);
  return at(known).key == key && at(known).value == value ? known : 0;
}

// Whether this is something that the same client had done before.
bool ledger::is_earlier_of_same(std::uint32_t update, const record& of) const {
  const auto id = update != 0 ? at(update).id : update_id{};
  return id.has_session() && of.id.has_session() && id.session() == of.id.session() &&
         id.counter() < of.id.counter();
}

// Returns whether a server at `at` has a later change of the key by the same client.
bool ledger::is_superseded(const record& of, sequence at) const {
  bool found = false;
  if (of.id.has_session()) {
    history_.for_each(at, [&](const history::entry& e) {
      const auto later = e.update != 0 && e.key == of.key ? this->at(e.update).id : update_id{};
      found = found || (later.has_session() && later.session() == of.id.session() &&
                        later.counter() > of.id.counter());
    });
  }
  return found;
}

bool ledger::is_in(sequence at, const record& of) const {
  return std::any_of(of.published.begin(), of.published.end(),
                     [&](sequence number) { return history_.contains(at, number); });
}

bool ledger::anybody_has(const record& of) const {
  return std::any_of(memory_.begin(), memory_.end(), [&](const memory& one) {
    return is_in(one.number, of) || is_in(one.offers, of) || is_superseded(of, one.number) ||
           is_superseded(of, one.offers);
  });
}

void ledger::on_active(std::size_t node, std::uint64_t epoch, sequence base,
                       std::chrono::nanoseconds outage) {
  ++activations_;
  world_->note("active: node, epoch, base", {node, epoch, base});
  if (!history_.begin(epoch, base)) {
    report(violation::epoch_twice, "node " + std::to_string(node) + " is active in epoch " +
                                       std::to_string(epoch) + ", which there was");
  }
  const auto& past = memory_[node].past;
  const auto has_lost = std::any_of(past.begin(), past.end(), [](sequence n) { return n != 0; });
  if (base == 0 && has_lost && memory_[1 - node].number != 0) {
    report(violation::lost, "node " + std::to_string(node) + " begins with nothing beside " +
                                text_of(memory_[1 - node].number));
  }
  grace_until_ =
      std::max(grace_until_, now() + std::chrono::duration_cast<event_queue::duration>(outage));
}

void ledger::on_replayed(std::size_t node) {
  auto& own = memory_[node];
  for (const auto number : std::exchange(own.received, {})) {
    const auto& one = at(number);
    if (!one.settled && !is_in(own.number, one) && !is_superseded(one, own.number)) {
      report(violation::forgotten,
             name(number) + ", which node " + std::to_string(node) + " received");
    }
  }
}

void ledger::on_serving(std::size_t node, bool does) {
  if (std::exchange(memory_[node].serving, does) == does) {
    return;
  }
  world_->note("serving: node, does", {node, does});
  const auto& other = memory_[1 - node];
  if (does && other.serving && now() >= disturbed_until_) {
    report(violation::two_active,
           "node " + std::to_string(node) + " serves, and so does the other");
  }
  if (!does && !other.serving) {
    serving_since_.reset();
  } else if (!serving_since_) {
    serving_since_ = now();
  }
}

void ledger::on_heard(std::size_t node, const update_id& id) {
  if (const auto known = update_of(id); known != 0 && !refuses_) {
    memory_[node].received.insert(known);
  }
}

void ledger::on_publication(std::size_t node, const update& u) {
  const auto id = update_id::of_frame(u.id);
  auto known = update_of(id);
  if (known == 0) {
    known = update_setting(u.key, u.value);
  }
  auto& own = memory_[node];
  world_->note("published: node, number, update", {node, u.number, known});
  if (known == 0) {
    expire(u);
  } else {
    auto& one = at(known);
    if (one.key != u.key || one.value != u.value) {
      report(violation::invented, name(known) + " is published as another");
    }
    if (is_in(u.number - 1, one)) {
      report(violation::resurrected, name(known) + " is published again as " + text_of(u.number));
    }
    const auto* const before = history_.last_of(one.key, u.number - 1);
    if (before != nullptr && before->update != 0 && is_earlier_of_same(known, at(before->update))) {
      report(violation::resurrected, name(known) + " is published behind " + name(before->update));
    }
    one.published.push_back(u.number);
  }
  history_.add({.number = u.number,
                .key = std::string{u.key},
                .update = known,
                .erases = u.erases(),
                .when = now()});
  own.number = u.number;
}

// An update without a client: the server erases a key that has expired.
void ledger::expire(const update& u) {
  if (!u.erases()) {
    report(violation::invented, std::string{u.value.substr(0, 20)} + " is published for " +
                                    std::string{u.key} + ", and no client has set it");
    return;
  }
  // An accepted offer of an expiry was due at the server that offers it.
  if (!expiries_.insert(update_id::of_frame(u.id)).second) {
    return;
  }
  ++expired_;
  const auto* const last = history_.last_of(u.key, u.number - 1);
  if (last == nullptr || last->erases || last->update == 0) {
    report(violation::invented, std::string{u.key} + " is erased, and was not there");
    return;
  }
  const auto& set = at(last->update);
  if (!set.ttl || now() < set.made + *set.ttl) {
    report(violation::too_early, name(last->update) + " is gone");
  }
}

void ledger::on_promise(std::size_t node, std::uint64_t session, const acknowledgement& notified) {
  auto& all = sessions_[session];
  const auto count = std::min<std::uint64_t>(notified.counter, all.size());
  for (std::uint64_t counter = 1; counter <= count; ++counter) {
    const auto missing =
        std::any_of(notified.gaps.begin(), notified.gaps.end(),
                    [&](const auto& gap) { return counter >= gap.first && counter <= gap.last; });
    if (missing || all[counter - 1] == 0) {
      continue;
    }
    auto& one = at(all[counter - 1]);
    one.refused =
        std::any_of(notified.refused.begin(), notified.refused.end(), [&](const auto& some) {
          return counter >= some.updates.first && counter <= some.updates.last;
        });
    if (one.refused) {
      continue;
    }
    one.promised = true;
    if (notified.degraded || std::exchange(one.promised_by_two, true) || one.settled) {
      continue;
    }
    const auto& other = memory_[1 - node];
    const auto had = is_in(other.number, one) || is_in(other.offers, one) ||
                     std::any_of(other.past.begin(), other.past.end(),
                                 [&](sequence then) { return is_in(then, one); });
    if (!had && !is_superseded(one, memory_[node].number)) {
      report(violation::unreplicated, name(all[counter - 1]));
    }
  }
}

void ledger::on_position(std::size_t node, sequence number) { memory_[node].number = number; }

void ledger::on_synchronized(std::size_t node, const store& map) {
  auto& own = memory_[node];
  own.past.push_back(own.number);
  if (own.number != 0 && !history_.contains(map.number(), own.number)) {
    own.offers = own.number;
  }
  own.number = map.number();
  check_map("node " + std::to_string(node), replica_of(map), map.number(), {});
}

void ledger::on_reconciled(std::size_t node) {
  auto& own = memory_[node];
  for (auto& one : updates_) {
    one.settled = one.settled || (is_in(own.offers, one) && !is_in(own.number, one));
  }
  own.past.push_back(std::exchange(own.offers, 0));
}

// The offer counts if the key has not changed since both servers had the same value.
void ledger::on_offered(std::size_t node, const update_id& id, bool taken) {
  const auto known = update_of(id);
  if (known == 0) {
    return;
  }
  ++offers_;
  auto& one = at(known);
  if (!taken) {
    one.settled = one.settled || !is_in(memory_[node].number, one);
    return;
  }
  // Updates that precede it in this history must precede it in its own history.
  const auto own = one.published.front();
  const auto* const before = history_.last_of(one.key, memory_[node].number - 1);
  const bool is_own_earlier = before != nullptr && is_earlier_of_same(before->update, one);
  if (before != nullptr && !is_own_earlier && !history_.contains(own, before->number)) {
    report(violation::resurrected,
           name(known) + " is taken over a later " + text_of(before->number));
  }
}

void ledger::on_killed(std::size_t node, sequence stored) {
  auto& own = memory_[node];
  std::vector<std::uint32_t> last;  // its updates
  for (std::uint32_t number = 1; number <= updates_.size(); ++number) {
    const auto& one = at(number);
    if ((one.promised || one.committed) && (one.settled || anybody_has(one))) {
      last.push_back(number);
    }
  }
  own.past.push_back(own.number);
  own.past.push_back(own.offers);
  own.number = stored;
  own.offers = 0;
  own.received.clear();
  on_serving(node, false);
  // An update that was lost before does not have this excuse, even if a passive server still had it in memory.
  const bool is_nothing_left = std::all_of(memory_.begin(), memory_.end(), [](const memory& one) {
    return one.number == 0 && one.offers == 0;
  });
  for (const auto number : last) {
    auto& one = at(number);
    one.excused = one.settled ? is_nothing_left : !anybody_has(one);
    if (one.excused && stored_) {
      report(violation::lost, name(number) + " is on no disk");
    }
  }
}

std::size_t ledger::excused() const {
  return static_cast<std::size_t>(
      std::count_if(updates_.begin(), updates_.end(), [](const auto& one) { return one.excused; }));
}

void ledger::check_rest(std::size_t active) {
  const auto here = memory_[active].number;
  const auto map = history_.at(here);
  for (std::uint32_t number = 1; number <= updates_.size(); ++number) {
    const auto& one = at(number);
    const bool is_over = one.ttl && now() >= one.made + *one.ttl;
    if (!(one.promised || one.committed) || one.excused || is_over || is_in(here, one)) {
      continue;
    }
    if (is_superseded(one, here)) {
      continue;
    }
    if (one.published.empty()) {
      report(violation::lost, name(number) + ", which was never published");
      continue;
    }
    // The update had a number that is not in this history. Another update, which its server did not have, must
    // have that number.
    const auto first = *std::min_element(one.published.begin(), one.published.end());
    const auto there = map.find(one.key);
    const bool is_erased = one.erases && (there == map.end() || there->second->erases);
    if (is_erased || history_.is_overwritten(one.key, first)) {
      continue;
    }
    bool replaced = false;
    history_.for_each(here, [&](const history::entry& e) {
      const bool before = is_earlier_of_same(e.update, one);
      replaced = replaced || (e.key == one.key && !before && !history_.contains(first, e.number));
    });
    if (!replaced) {
      report(violation::lost, name(number));
    }
  }
  for (const auto& [key, last] : map) {
    const auto* const set = last->erases ? nullptr : &at(last->update);
    if (set != nullptr && set->ttl &&
        now() > std::max(last->when + *set->ttl, grace_until_) + grace) {
      report(violation::outlived, name(last->update));
    }
  }
}

}  // namespace chp::simulation
