#pragma once
// A replica, and what a restart finds of it.

#include "chp/replica.h"
#include "test/chp/stored_state.h"
#include "test/chp/update_ids.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace chp::test {

using namespace std::chrono_literals;
using verdict = sessions::verdict;

inline constexpr store::time_point start{};

inline replica_options with_store() {
  replica_options o;
  o.has_store = true;
  o.store_retry = 1s;
  return o;
}

inline void set(replica& r, std::string_view key, std::string_view value, const update_id& of = {},
                std::chrono::milliseconds ttl = 0ms) {
  r.append({.number = r.end() + 1,
            .id = of,
            .low = of.has_session() ? 1U : 0U,
            .ttl = ttl,
            .key = key,
            .value = value});
}

inline void publish(replica& r, sequence to) {
  r.publish(to, start, [](const log_entry&, bool) {});
}

// Everything that a restart has to find.
using contents =
    std::map<std::string, std::tuple<std::string, sequence, std::chrono::milliseconds>>;
inline contents map_of(const replica& r) {
  contents all;
  r.past().map().for_each("", [&](const store::entry& e) {
    all[std::string{e.key()}] = {std::string{e.value()}, e.number(), e.ttl()};
    return true;
  });
  return all;
}
inline std::vector<sequence> log_of(const replica& r) {
  std::vector<sequence> all;
  auto at = r.past().log().after(r.past().log().start());
  for (log_entry e; r.past().log().read(at, e);) {
    all.push_back(e.number);
  }
  return all;
}
inline void expect_same_state(const replica& a, const replica& b) {
  EXPECT_EQ(a.past().reigns(), b.past().reigns());
  EXPECT_EQ(map_of(a), map_of(b));
  EXPECT_EQ(log_of(a), log_of(b));
  EXPECT_EQ(a.end(), b.end());
  EXPECT_EQ(a.past().published(), b.past().published());
  for (std::uint64_t session = 1; session < 200; ++session) {
    for (std::uint64_t counter = 1; counter < 40; ++counter) {
      const auto in_a = a.past().clients().decide(session_id(session, counter), 1, 0);
      const auto in_b = b.past().clients().decide(session_id(session, counter), 1, 0);
      // A restart may find a part of a forgotten session in the log.
      if (in_a.what != verdict::unknown) {
        EXPECT_EQ(in_a.what, in_b.what) << session << ':' << counter;
        EXPECT_EQ(in_a.known, in_b.known);
      }
    }
  }
}

inline std::unique_ptr<replica> restarted(const stored_state& from,
                                          const replica_options& options = with_store()) {
  auto r = std::make_unique<replica>(options, 7);
  if (from.empty()) {
    return r;
  }
  errc fault{};
  auto found = from.load(r->make_history(), start, fault);
  EXPECT_EQ(fault, errc{});
  return std::make_unique<replica>(options, 8, std::move(found), from.numbers);
}

// Carries out all writes of a turn.
inline void write_all(replica& r, stored_state& to, store::time_point now = start) {
  for (;;) {
    std::vector<state_write> all;
    r.take_writes(now, all);
    if (all.empty()) {
      return;
    }
    for (const auto& each : all) {
      to.write(each);
      r.on_written({}, now);
    }
  }
}

}  // namespace chp::test
