#include "test/interop/chp_storm_reports.h"

#include <boost/crc.hpp>
#include <boost/json/array.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

namespace chp::test {

namespace json = boost::json;

namespace {

// Returns a percentile of the samples, and sorts the samples.
template <class Sample>
Sample percentile(std::vector<Sample>& samples, double share) {
  if (samples.empty()) {
    return {};
  }
  const auto at = samples.begin() +
                  static_cast<std::ptrdiff_t>(share * static_cast<double>(samples.size() - 1));
  std::nth_element(samples.begin(), at, samples.end());
  return *at;
}

std::int64_t milliseconds_of(crowd::clock::duration d) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(d).count();
}

// Returns a checksum of the keys with this prefix.
std::uint32_t sum_of(const client& map, std::string_view subtree) {
  boost::crc_32_type sum;
  map.for_each(subtree, [&sum](std::string_view key, std::string_view value) {
    const auto sizes = std::array{key.size(), value.size()};
    sum.process_bytes(sizes.data(), sizeof(sizes));
    sum.process_bytes(key.data(), key.size());
    sum.process_bytes(value.data(), value.size());
  });
  return sum.checksum();
}

template <class True>
auto count_if(const crowd& of, True is_true) {
  return std::count_if(of.all().begin(), of.all().end(),
                       [&](const auto& p) { return is_true(p->client->status()); });
}

}  // namespace

json::object report_status(crowd& of) {
  json::object events;
  for (std::size_t i = 0; i < of.events().size(); ++i) {
    events[to_string(static_cast<client_event::kind>(i))] = of.events()[i];
  }
  json::array joined;
  std::uint64_t committed = 0;
  for (const auto& p : of.all()) {
    committed += p->committed;
    if (!of.writes(*p)) {
      const auto now = p->client->status();
      joined.push_back({{"ready_ms", p->ready_after.count()},
                        {"keys", now.keys},
                        {"gaps", now.counters.gaps},
                        {"snapshots", now.counters.snapshots}});
    }
  }
  return {{"committed", committed},
          {"waiting", of.waiting()},
          {"failed", of.failed()},
          {"reported", of.lost()},
          {"following", count_if(of, [](const client_status& now) { return now.following; })},
          {"degraded", count_if(of, [](const client_status& now) { return now.degraded; })},
          {"writing_again_p99_ms", milliseconds_of(percentile(of.waits(), 0.99))},
          {"writing_again_max_ms", milliseconds_of(percentile(of.waits(), 1))},
          {"commit_p50_us", percentile(of.latencies(), 0.5).count()},
          {"commit_p99_us", percentile(of.latencies(), 0.99).count()},
          {"events", std::move(events)},
          {"joined", std::move(joined)}};
}

bool maps_are_equal(const crowd& of) {
  const auto& first = *of.all().front()->client;
  const auto keys = first.status().keys;
  for (const auto& p : of.all()) {
    if (p->subtree.empty() && p->client->status().keys != keys) {
      return false;
    }
  }
  const auto sum = sum_of(first, {});
  return std::all_of(of.all().begin() + 1, of.all().end(), [&](const auto& p) {
    return sum_of(*p->client, {}) == (p->subtree.empty() ? sum : sum_of(first, p->subtree));
  });
}

bool lifetimes_are_left(const crowd& of) {
  bool any = false;
  of.all().front()->client->for_each(crowd::lifetime_keys,
                                     [&any](std::string_view, std::string_view) { any = true; });
  return any;
}

json::object report_check(crowd& of, const settled_crowd& waited) {
  update_ledger::map held;
  of.all().front()->client->for_each({}, [&held](std::string_view key, std::string_view value) {
    if (!key.starts_with(crowd::lifetime_keys)) {
      held.emplace(key, value);
    }
  });
  const auto found = of.ledger().check(held);
  const auto lives = of.lifetimes().make_report();
  const bool good = waited.committed && waited.expired && waited.equal && found.good() &&
                    of.invented() == 0 && of.out_of_order() == 0 && of.failed() == 0 &&
                    lives.early == 0 && lives.left == 0;
  auto report = report_status(of);
  report["keys"] = held.size();
  report["maps_equal"] = waited.equal;
  report["lost"] = found.lost;
  report["resurrected"] = found.resurrected;
  report["invented"] = found.invented + of.invented();
  report["out_of_order"] = of.out_of_order();
  report["ttl_keys"] = lives.keys;
  report["ttl_early"] = lives.early;
  report["ttl_left"] = lives.left;
  report["ttl_latest_ms"] = lives.latest.count();
  report["good"] = good;
  if (good) {
    of.ledger().forget_before(held);
  }
  for (const auto& fault : found.faults) {
    std::fprintf(stderr, "chp_storm: %s\n", fault.c_str());
  }
  return report;
}

}  // namespace chp::test
