#pragma once
// Two machines, the links between them and their clients as a value, and a breadth-first search over
// everything that can happen to them.

#include "bstar/state_machine.h"

#include <boost/container/static_vector.hpp>
#include <boost/container_hash/hash.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bstar::model {

using time_point = state_machine::time_point;

// The nodes: the primary, the backup.
inline constexpr std::array<std::size_t, 2> both{0, 1};

enum class beginning : std::uint8_t {
  apart,       // both have just started
  met,         // the primary is active, the backup passive
  taken_over,  // the other way round
};

// The settings of one search.
struct setting {
  pair_options options{.heartbeat = std::chrono::milliseconds{8}};
  bool data_outlive_crashes = false;
  bool epochs_outlive_crashes = true;
  bool losses_are_told = false;  // a node detects the loss of its data
  unsigned faults = 2;           // at most, in one history
  beginning from = beginning::apart;
};

enum class deed : std::uint8_t {
  pass,          // half a heartbeat passes; messages in flight on a good link arrive
  hear,          // the next message arrives at the node
  ask,           // a client sends a request to the node
  fire,          // the timer of the node fires, late
  crash,         //
  restart,       // connected at once
  restart_slow,  // not connected before both links are healed
  pause,         // the node does nothing, and messages to it queue
  resume,        //
  cut,           // from now on, messages that the node sends are lost
  hold,          // from now on, messages that the node sends arrive later
  heal,          // the link from the node works again
};

struct step {
  deed what = deed::pass;
  std::size_t who = 0;
};

inline std::string name_of(step s) {
  static constexpr std::array names{"pass",         "hear",  "ask",    "fire", "crash", "restart",
                                    "restart_slow", "pause", "resume", "cut",  "hold",  "heal"};
  const std::string name = names[static_cast<std::size_t>(s.what)];
  return s.what == deed::pass ? name : name + (s.who == 0 ? " primary" : " backup");
}

// B1: two nodes are never active in the same epoch. B2: two nodes never serve at the same time
// while the links are good, even if a node is paused. B3: once all is well, one node becomes active
// within two heartbeats and stays active. B5, for nodes that detect a loss: a node that has lost
// its data does not become active while its peer has data.
enum class invariant : std::uint8_t { b1, b2, b3, b5 };

template <class Machine>
class world {
public:
  explicit world(const setting& how) : how_{&how} {
    start(0);
    start(1);
    if (how.from != beginning::apart) {
      settle();
    }
    if (how.from == beginning::taken_over) {
      nodes_[0].machine.reset();
      links_[1].waiting.clear();
      start(0);
      settle();
    }
  }

  [[nodiscard]] bool possible(step s) const {
    const auto& n = nodes_[s.who];
    const auto& from_it = links_[s.who];
    const auto& to_it = links_[1 - s.who];
    const bool fault_left = faults_ < how_->faults;
    const bool awake = n.machine && !n.paused;
    switch (s.what) {
      case deed::pass: return s.who == 0;
      case deed::hear: return awake && !to_it.waiting.empty() && to_it.how != condition::held;
      case deed::ask: return awake;
      case deed::fire: return awake && n.machine->next_deadline() < now_;
      case deed::crash: return n.machine && fault_left;
      case deed::restart: return !n.machine;
      case deed::restart_slow: return !n.machine && fault_left;
      case deed::pause: return awake && fault_left;
      case deed::resume: return n.paused;
      case deed::cut:
      case deed::hold: return from_it.how == condition::good && fault_left;
      case deed::heal: return from_it.how != condition::good;
    }
    return false;
  }

  void take(step s) {
    auto& n = nodes_[s.who];
    switch (s.what) {
      case deed::pass: pass(false); break;
      case deed::hear: hear(s.who); break;
      case deed::ask: ask(s.who); break;
      case deed::fire: fire(s.who); break;
      case deed::crash:
        ++faults_;
        n.machine.reset();
        n.paused = false;
        links_[1 - s.who].waiting.clear();
        break;
      case deed::restart: start(s.who); break;
      case deed::restart_slow:
        ++faults_;
        for (auto& l : links_) {
          l.how = condition::cut;
        }
        link_fault_ = true;
        start(s.who);
        break;
      case deed::pause:
        ++faults_;
        n.paused = true;
        break;
      case deed::resume:
        n.paused = false;
        calm_since_ = now_;
        break;
      case deed::cut:
      case deed::hold:
        ++faults_;
        links_[s.who].how = s.what == deed::cut ? condition::cut : condition::held;
        link_fault_ = true;
        break;
      case deed::heal: heal(s.who); break;
    }
  }

  [[nodiscard]] const std::optional<invariant>& broken() const { return broken_; }
  [[nodiscard]] const Machine* machine(std::size_t who) const {
    return nodes_[who].machine ? &*nodes_[who].machine : nullptr;
  }
  [[nodiscard]] bool serves(std::size_t who) const {
    const auto& n = nodes_[who];
    if (!n.machine || n.paused) {
      return false;
    }
    auto copy = *n.machine;
    machine_actions out;
    const bool at_once = copy.on_client_request(now_, out);
    if (out.persist) {
      const auto which = *out.persist;
      copy.on_persisted(which, now_, out);
    }
    return at_once || copy.serving();
  }

  // Returns the invariant that breaks if nothing fails from here on: B3, or one that follows from
  // it.
  [[nodiscard]] std::optional<invariant> broken_later() const {
    if (!nodes_[0].machine || !nodes_[1].machine) {
      return std::nullopt;
    }
    auto then = *this;
    for (const auto who : both) {
      then.nodes_[who].paused = false;
      if (then.links_[who].how != condition::good) {
        then.heal(who);
      }
    }
    for (int i = 0; i < 4; ++i) {
      then.pass(true);
    }
    for (int i = 0; i < 3; ++i) {
      const auto serving = [&](std::size_t who) { return then.nodes_[who].machine->serving(); };
      if (!then.broken_ && serving(0) == serving(1)) {
        then.broken_ = invariant::b3;
      }
      then.pass(true);
    }
    return then.broken_;
  }

  // Returns the longest time for which neither node serves a client that asks both all the time, if
  // `who` is stopped, and started `down` steps later. B4 limits this time to two heartbeats.
  [[nodiscard]] std::chrono::milliseconds refused_by_restart(std::size_t who, unsigned down) {
    auto refused_since = now_;
    std::chrono::milliseconds longest{0};
    const auto look = [&] {
      const bool by_primary = ask(0);
      const bool by_backup = ask(1);
      if (by_primary || by_backup) {
        refused_since = now_;
      }
      longest = std::max(
          longest, std::chrono::duration_cast<std::chrono::milliseconds>(now_ - refused_since));
    };
    nodes_[who].machine.reset();
    links_[1 - who].waiting.clear();
    for (unsigned i = 0; i < down + 8; ++i) {
      if (i == down) {
        start(who);
      }
      look();
      pass(true);
    }
    return longest;
  }

  [[nodiscard]] std::size_t fingerprint() const {
    std::size_t seed = 0;
    for (const auto& n : nodes_) {
      boost::hash_combine(seed, n.machine
                                    ? hash_value(static_cast<const state_machine&>(*n.machine))
                                    : std::size_t{0});
      boost::hash_combine(seed, n.paused);
      boost::hash_combine(seed, n.persisted);
      boost::hash_combine(seed, n.position);
      boost::hash_combine(seed, n.lost);
      boost::hash_combine(seed, n.lives);
    }
    for (const auto& l : links_) {
      boost::hash_combine(seed, static_cast<int>(l.how));
      for (const auto& m : l.waiting) {
        boost::hash_combine(seed, m);
      }
      boost::hash_combine(seed, l.waiting.size());
    }
    boost::hash_combine(seed, now_.time_since_epoch().count());
    boost::hash_combine(seed, calm_since_.time_since_epoch().count());
    boost::hash_combine(seed, faults_);
    boost::hash_combine(seed, link_fault_);
    boost::hash_combine(seed, epochs_used_);
    return seed;
  }

private:
  enum class condition : std::uint8_t { good, cut, held };

  struct node {
    std::optional<Machine> machine;  // absent: it is down
    bool paused = false;
    epoch persisted = 0;
    std::uint64_t position = 0;
    bool lost = false;  // it had data, and has none since
    std::uint32_t lives = 0;
  };
  // From the node of the same number to the other.
  struct link {
    condition how = condition::good;
    boost::container::static_vector<peer_report, 6> waiting{};
  };

  void settle() {
    for (int i = 0; i < 8; ++i) {
      pass(true);
    }
  }

  void start(std::size_t who) {
    auto& n = nodes_[who];
    auto options = how_->options;
    options.as = who == 0 ? role::primary : role::backup;
    if (!how_->epochs_outlive_crashes) {
      n.persisted = 0;
    }
    if (!how_->data_outlive_crashes) {
      n.position = 0;
    }
    n.machine.emplace(options, n.persisted, ++n.lives, now_);
    n.machine->set_position(n.position);
    n.lost = how_->losses_are_told && n.persisted != 0 && n.position == 0;
    n.machine->set_data_lost(n.lost);
    // A new subscriber gets the state at once.
    send(who);
    send(1 - who);
  }

  void heal(std::size_t who) {
    links_[who].how = condition::good;
    calm_since_ = now_;
    send(who);
  }

  void send(std::size_t who) {
    auto& l = links_[who];
    if (!nodes_[who].machine || !nodes_[1 - who].machine || l.how == condition::cut) {
      return;
    }
    if (l.waiting.size() == l.waiting.capacity()) {
      l.waiting.erase(l.waiting.begin());
    }
    l.waiting.push_back(nodes_[who].machine->report());
  }

  void carry_out(std::size_t who, machine_actions& out) {
    auto& n = nodes_[who];
    for (bool more = true; more;) {
      const auto now = std::exchange(out, {});
      if (now.persist) {
        n.persisted = *now.persist;
        n.machine->on_persisted(*now.persist, now_, out);
      }
      more = now.persist.has_value();
      if (now.publish) {
        send(who);
      }
      if (now.became_active) {
        const auto bit = std::uint64_t{1} << (*now.became_active % 64);
        if ((epochs_used_ & bit) != 0) {
          broken_ = invariant::b1;
        }
        epochs_used_ |= bit;
        if (std::exchange(n.lost, false) && nodes_[1 - who].machine &&
            nodes_[1 - who].position != 0) {
          broken_ = invariant::b5;
        }
      }
    }
  }

  void hear(std::size_t who) {
    auto& from = links_[1 - who];
    const auto report = from.waiting.front();
    from.waiting.erase(from.waiting.begin());
    auto& n = nodes_[who];
    machine_actions out;
    n.machine->on_peer(report, now_, out);
    carry_out(who, out);
    // A passive takes over the data of its active.
    if (n.machine->current() == state::passive && report.state == peer_state::active &&
        report.more) {
      move_to(n, std::max(n.position, report.more->position));
      n.lost = false;
      n.machine->set_data_lost(false);
    }
  }

  bool ask(std::size_t who) {
    auto& n = nodes_[who];
    if (!n.machine || n.paused) {
      return false;
    }
    machine_actions out;
    bool accepted = n.machine->on_client_request(now_, out);
    carry_out(who, out);
    accepted = accepted || n.machine->serving();
    if (accepted) {
      // There are new data.
      move_to(n, 2 * std::uint64_t{n.machine->current_epoch()} + 1);
      if (links_are_good() && serves(1 - who)) {
        broken_ = invariant::b2;
      }
    }
    return accepted;
  }

  static void move_to(node& n, std::uint64_t position) {
    n.position = position;
    n.machine->set_position(position);
  }

  void fire(std::size_t who) {
    machine_actions out;
    nodes_[who].machine->on_deadline(now_, out);
    carry_out(who, out);
  }

  // Always, or again, and for so long that both know.
  [[nodiscard]] bool links_are_good() const {
    const bool good = std::all_of(links_.begin(), links_.end(),
                                  [](const link& l) { return l.how == condition::good; });
    return good && (!link_fault_ || now_ - calm_since_ >= 2 * how_->options.heartbeat);
  }

  void deliver() {
    for (bool more = true; more;) {
      more = false;
      for (const auto who : both) {
        while (possible({deed::hear, who})) {
          hear(who);
          more = true;
        }
      }
    }
  }

  // Half a heartbeat. A message on a good link takes less than a quarter of one, or no time at all.
  void pass(bool promptly) {
    for (int i = 0; i < 2; ++i) {
      deliver();
      pass_to(now_ + how_->options.heartbeat / 4, promptly);
    }
  }

  void pass_to(time_point end, bool promptly) {
    for (;;) {
      std::optional<std::size_t> next;
      for (const auto who : both) {
        const auto& n = nodes_[who];
        if (n.machine && !n.paused && n.machine->next_deadline() <= end &&
            (!next || n.machine->next_deadline() < nodes_[*next].machine->next_deadline())) {
          next = who;
        }
      }
      if (!next) {
        break;
      }
      now_ = std::max(now_, nodes_[*next].machine->next_deadline());
      fire(*next);
      if (promptly) {
        deliver();
      }
    }
    now_ = end;
  }

  const setting* how_;
  std::array<node, 2> nodes_{};
  std::array<link, 2> links_{};
  time_point now_{std::chrono::hours{1}};
  time_point calm_since_{now_};
  unsigned faults_ = 0;
  bool link_fault_ = false;
  std::uint64_t epochs_used_ = 0;
  std::optional<invariant> broken_;
};

struct finding {
  std::optional<invariant> broken;  // by the last step of the trace, the shortest there is
  std::string trace;
  std::size_t worlds = 0;
  unsigned depth = 0;  // to which there is nothing that was not looked at
  // By role and state, how many worlds had a node in it.
  std::array<std::array<std::size_t, 5>, 2> states{};
};

// So that a mistake in a setting takes no more memory than there is.
inline constexpr std::size_t most_worlds = 1'500'000;

// Visits every world that is reachable in `depth` steps, or in fewer steps if there are too many
// worlds. A 64-bit hash identifies a world that the search has visited.
template <class Machine>
finding search(const setting& how, unsigned depth) {
  struct origin {
    std::uint32_t parent;
    step by;
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  finding found;
  std::vector<origin> origins{{none, {}}};
  std::vector<std::pair<world<Machine>, std::uint32_t>> frontier{{world<Machine>{how}, 0}};
  boost::unordered_flat_set<std::size_t> seen{frontier.front().first.fingerprint()};
  const auto tell = [&](std::uint32_t of) {
    for (; origins[of].parent != none; of = origins[of].parent) {
      found.trace = name_of(origins[of].by) + (found.trace.empty() ? "" : ", ") + found.trace;
    }
  };
  for (; found.depth < depth; ++found.depth) {
    std::vector<std::pair<world<Machine>, std::uint32_t>> next;
    for (const auto& [from, index] : frontier) {
      for (std::size_t i = 0; i < 24; ++i) {
        const step s{static_cast<deed>(i / 2), i % 2};
        if (!from.possible(s)) {
          continue;
        }
        auto to = from;
        to.take(s);
        if (!seen.insert(to.fingerprint()).second) {
          continue;
        }
        const auto here = static_cast<std::uint32_t>(origins.size());
        origins.push_back({index, s});
        for (const auto who : both) {
          if (const auto* const m = to.machine(who)) {
            ++found.states[who][static_cast<std::size_t>(m->current())];
          }
        }
        found.broken = to.broken() ? to.broken() : to.broken_later();
        found.worlds = origins.size();
        if (found.broken) {
          tell(here);
          return found;
        }
        if (found.worlds == most_worlds) {
          return found;
        }
        next.emplace_back(std::move(to), here);
      }
    }
    frontier = std::move(next);
  }
  return found;
}

}  // namespace bstar::model
