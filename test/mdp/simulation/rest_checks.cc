#include "test/mdp/simulation/rest_checks.h"

#include <string>

namespace mdp::simulation {

void check_no_worker_expired(const programs& of, history& calls) {
  for (const auto& one : of.brokers) {
    if (one->workers_expired() != 0) {
      calls.report(violation::expelled, "workers that had done nothing wrong, by " + one->name());
    }
  }
}

void check_floods(const programs& of, history& calls) {
  for (const auto& one : of.floods) {
    const auto c = one->broker().status().counters;
    const auto silent = c.expired + c.exhausted + c.cut_short + c.oversized + c.declined +
                        c.failed + c.stopped + c.refused - c.errors;
    if (one->unanswered() > silent) {
      calls.report(violation::lost, std::to_string(one->unanswered()) + " calls of " + one->name());
    }
  }
}

void check_titanic(const programs& of, history& calls) {
  if (!of.titanic) {
    return;
  }
  if (const auto s = of.titanic->status(); s && s->accepting) {
    of.stored->check_rest(*s);
  } else {
    calls.report(violation::stuck, "Titanic is not there");
  }
}

void check_brokers(const programs& of, history& calls) {
  for (const auto& one : of.brokers) {
    if (one->begun()) {
      calls.check_rest(one->name(), one->status());
    }
  }
}

void check_nobody_is_left(const programs& of, history& calls) {
  for (const auto& one : of.brokers) {
    if (!one->begun()) {
      continue;
    }
    if (const auto s = one->status(); s.peers + s.clients + s.workers != 0) {
      calls.report(violation::leaked, std::to_string(s.peers) + " peers, " +
                                          std::to_string(s.clients) + " clients and " +
                                          std::to_string(s.workers) + " workers are left at " +
                                          one->name());
    }
  }
}

}  // namespace mdp::simulation
