// Random schedules, and the shortest form of one that breaks a promise.

#include "test/chp/model/world.h"

#include <algorithm>
#include <random>
#include <sstream>

namespace chp::model {
namespace {

using chance = std::mt19937_64;

std::uint64_t below(chance& random, std::uint64_t limit) { return random() % limit; }

settings make_settings(chance& random, planted fault) {
  settings how;
  how.fault = fault;
  how.block = below(random, 3) == 0;
  const std::uint64_t stores = below(random, 6);
  how.store = {stores != 0 && stores != 1, stores != 0 && stores != 2};
  how.by_hand = below(random, 6) == 0;
  for (std::size_t c = 0; c < client_count; ++c) {
    how.reach[c] = below(random, 4) == 0 ? 1U << below(random, 2) : 3U;
    const std::uint64_t which = below(random, 6);
    how.clients[c] = c == 0 || which > 1 ? client_kind::ours
                     : which == 1        ? client_kind::guide_with_ids
                                         : client_kind::guide_without_ids;
  }
  const auto limit = [&](std::size_t small, std::size_t large) {
    return below(random, 2) == 0 ? small : large;
  };
  how.log_limit = limit(4, 1000);
  how.session_limit = limit(1, 2);
  how.waiting_limit = limit(2, 1000);
  how.window = limit(2, 1000);
  how.key_limit = limit(2, key_count);
  return how;
}

// How often each event comes. Every schedule has faults of few kinds, so that one fault can be alone.
std::vector<std::uint32_t> make_weights(chance& random, bool has_witness) {
  std::vector<std::uint32_t> weights(static_cast<std::size_t>(deed::last_one), 0);
  const auto weigh = [&](deed d, std::uint64_t weight) {
    weights[static_cast<std::size_t>(d)] = static_cast<std::uint32_t>(weight);
  };
  weigh(deed::tick, 60 + below(random, 340));
  weigh(deed::hear_peer, 60 + below(random, 240));
  weigh(deed::hear_client, 60 + below(random, 300));
  weigh(deed::tell_client, 100 + below(random, 500));
  weigh(deed::sync, 10 + below(random, 150));
  weigh(deed::set, 20 + below(random, 80));
  weigh(deed::client_timer, 40 + below(random, 60));
  const auto sometimes = [&](std::uint64_t one_in, deed fault, deed end) {
    if (below(random, one_in) == 0) {
      weigh(fault, 2 + below(random, 12));
      weigh(end, 2 + below(random, 20));
    }
  };
  sometimes(2, deed::crash, deed::start);
  sometimes(2, deed::power_loss, deed::start);
  sometimes(2, deed::cut, deed::heal);
  sometimes(3, deed::drop, deed::drop_client);
  sometimes(2, deed::cut_client, deed::heal_client);
  sometimes(4, deed::fail_store, deed::heal_store);
  sometimes(4, deed::pause, deed::resume);
  if (below(random, 4) == 0) {
    weigh(deed::wipe, 1 + below(random, 8));
    weigh(deed::start, 5 + below(random, 20));
  }
  if (below(random, 4) == 0) {
    weigh(deed::start_by_hand, 1 + below(random, 20));
  }
  if (below(random, 8) == 0) {
    weigh(deed::forge, 3);
  }
  if (has_witness) {
    weigh(deed::ask_witness, 50 + below(random, 200));
    weigh(deed::hear_witness, 50 + below(random, 200));
    weigh(deed::lose_witness, below(random, 2) * below(random, 40));
  }
  return weights;
}

bool breaks(const schedule& s, promise p, maker servers) {
  try {
    run(s, nullptr, servers);
  } catch (const violation& v) {
    return v.broken == p;
  }
  return false;
}

// Takes events away, in pieces that become smaller, for as long as the same promise stays broken.
schedule shorten(schedule s, promise p, maker servers) {
  for (std::size_t piece = s.events.size() / 2; piece > 0; piece /= 2) {
    for (std::size_t at = 0; at < s.events.size();) {
      schedule shorter = s;
      const auto begin = shorter.events.begin() + static_cast<std::ptrdiff_t>(at);
      shorter.events.erase(
          begin, begin + static_cast<std::ptrdiff_t>(std::min(piece, s.events.size() - at)));
      if (breaks(shorter, p, servers)) {
        s = std::move(shorter);
      } else {
        at += piece;
      }
    }
  }
  return s;
}

}  // namespace

schedule make_schedule(std::uint64_t seed, planted fault, bool has_witness) {
  chance random{seed};
  schedule s{make_settings(random, fault), {}};
  s.how.has_witness = has_witness;
  const std::vector<std::uint32_t> weights = make_weights(random, has_witness);
  std::uint64_t sum = 0;
  for (const std::uint32_t w : weights) {
    sum += w;
  }
  for (std::uint64_t length = 100 + below(random, 500); length > 0; --length) {
    std::uint64_t drawn = below(random, sum);
    std::size_t d = 0;
    for (; drawn >= weights[d]; ++d) {
      drawn -= weights[d];
    }
    s.events.push_back({static_cast<deed>(d), static_cast<std::uint8_t>(random()),
                        static_cast<std::uint32_t>(random())});
  }
  return s;
}

std::optional<violation> try_seed(std::uint64_t seed, planted fault, figures& sum, maker servers,
                                  bool has_witness) {
  try {
    const figures of_run = run(make_schedule(seed, fault, has_witness), nullptr, servers);
    sum.answers += of_run.answers;
    sum.cuts += of_run.cuts;
    sum.losses += of_run.losses;
    return std::nullopt;
  } catch (const violation& v) {
    return v;
  }
}

finding shorten(std::uint64_t seed, planted fault, const violation& v, maker servers,
                bool has_witness) {
  finding found{v, shorten(make_schedule(seed, fault, has_witness), v.broken, servers), {}};
  try {
    run(found.shortest, &found.trace, servers);
  } catch (const violation& of_shortest) {
    found.broken = of_shortest;
  }
  return found;
}

std::string describe(std::uint64_t seed, const finding& f) {
  std::ostringstream out;
  const settings& how = f.shortest.how;
  out << "seed " << seed << " breaks " << name_of(f.broken.broken) << ": " << f.broken.what << '\n'
      << "policy " << (how.block ? "block" : "ack") << ", stores " << how.store[0] << how.store[1]
      << ", limits: log " << how.log_limit << ", sessions " << how.session_limit << ", waiting "
      << how.waiting_limit << ", window " << how.window << ", keys " << how.key_limit
      << (how.has_witness ? ", with a witness, " : ", ") << f.shortest.events.size() << " events\n";
  for (const std::string& line : f.trace) {
    out << "  " << line << '\n';
  }
  return out.str();
}

}  // namespace chp::model
