#pragma once
// Writes of a replica for a store, and what a store has after them.

#include "chp/replica.h"
#include "test/chp/stored_state.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace chp::test {

inline constexpr history::time_point log_file_start{};

// All limits are small, so that the log is trimmed, and sessions and ids are forgotten.
inline replica_options small_replica() {
  replica_options o;
  o.history.log = {.bytes = 100'000, .entries = 8, .segment = 128};
  o.history.clients.max_sessions = 3;
  o.history.max_ids = 4;
  o.has_store = true;
  return o;
}

inline std::unique_ptr<history> small_history() {
  return std::make_unique<history>(small_replica().history, 5);
}

// The text has everything that a restart finds.
inline std::string text_of(const history& of, const state_numbers& n) {
  std::string all;
  for (const auto number : {n.start, n.end, n.published, n.commit, n.both, n.needed, n.forgotten,
                            n.member, of.published()}) {
    all += std::to_string(number) + ' ';
  }
  of.reigns().append_to(all += "\nlineage ");
  of.map().for_each("", [&](const store::entry& e) {
    append_record(
        all += "\nkey ",
        {.number = e.number(), .id = e.id(), .ttl = e.ttl(), .key = e.key(), .value = e.value()});
    return true;
  });
  std::string rows;
  std::size_t at = 0;
  while (of.clients().append_rows(at, 1'000, rows)) {
  }
  std::map<std::uint64_t, std::string_view> by_session;
  for (std::string_view rest{rows}; !rest.empty();) {
    const auto row = sessions::read_row(rest);
    by_session[row.session] = row.bytes;
  }
  for (const auto& [session, row] : by_session) {
    (all += "\nsession ") += row;
  }
  (void)of.ids().append_rows(0, max_sequence, SIZE_MAX, all += "\nids ");
  auto place = of.log().after(n.start);
  for (log_entry e; of.log().read(place, e);) {
    append_record(all += "\nentry ", e);
  }
  return all;
}

// The content of a store after these writes.
inline std::string text_after(const std::vector<state_write>& writes, std::size_t count) {
  stored_state stored;
  for (std::size_t i = 0; i < count; ++i) {
    stored.write(writes[i]);
  }
  errc fault{};
  const auto found = stored.load(small_history(), log_file_start, fault);
  EXPECT_EQ(fault, errc{});
  return found ? text_of(*found, stored.numbers) : "damaged";
}

// A server's writes: updates of several sessions, large values, erasures, a copy of another history
// in pieces, and a second reign.
class replica_script {
public:
  replica_script() {
    state_.begin_reign(1, 77);
    for (std::uint64_t i = 1; i <= 14; ++i) {
      set("k" + std::to_string(i % 5), std::string(i * 300, 'a'),
          i % 3 == 0 ? update_id::of_random(i, i) : of_session(i % 5, i));
      if (i == 7) {
        next({.kind = entry_kind::erasure, .id = update_id::of_random(70, 70), .key = "k1"});
        next({.kind = entry_kind::refusal, .id = of_session(9, 1), .argument = 1});
      }
      end_turn();
    }
    replace();
    for (std::uint64_t i = 1; i <= 6; ++i) {
      set("n" + std::to_string(i), "1", of_session(6, i));
      end_turn();
    }
    state_.begin_reign(4, 99);
    set("n1", std::string(6'000, 'b'), of_session(6, 7));
    next({.kind = entry_kind::expiry, .argument = make_sequence(2, 3), .key = "n2"});
    end_turn();
  }

  std::vector<state_write> writes;
  // Indexes behind the last write of each transaction.
  [[nodiscard]] std::vector<std::size_t> ends() const {
    std::vector<std::size_t> all{0};
    for (std::size_t i = 0; i < writes.size(); ++i) {
      if (!writes[i].more) {
        all.push_back(i + 1);
      }
    }
    return all;
  }

private:
  static update_id of_session(std::uint64_t session, std::uint64_t counter) {
    return update_id::of_session(update_id::make_session(session << 16), counter);
  }
  void next(log_entry e) {
    e.number = state_.end() + 1;
    e.low = e.id.has_session() ? 1 : 0;
    state_.append(e);
  }
  void set(const std::string& key, const std::string& value, const update_id& id) {
    next({.id = id, .ttl = std::chrono::milliseconds{700}, .key = key, .value = value});
  }
  void end_turn() {
    state_.raise_commit(state_.end());
    state_.raise_both(state_.end() - 1, true);
    state_.publish(state_.end(), log_file_start, [](const log_entry&, bool) {});
    state_.trim(state_.end(), trimmed_to::half);
    std::vector<state_write> turn;
    do {
      turn.clear();
      state_.take_writes(log_file_start, turn);
      for (auto& each : turn) {
        writes.push_back(std::move(each));
        state_.on_written({}, log_file_start);
      }
    } while (!turn.empty());
  }
  void replace() {
    replica other{small_replica(), 3};
    other.begin_reign(2, 88);
    for (std::uint64_t i = 1; i <= 12; ++i) {
      const auto key = "other" + std::to_string(i);
      const std::string value(i * 700, 'o');
      other.append({.number = other.end() + 1,
                    .id = i % 2 == 0 ? update_id::of_random(i, 1) : of_session(1, i),
                    .low = i % 2,
                    .key = key,
                    .value = value});
    }
    other.publish(other.end(), log_file_start, [](const log_entry&, bool) {});
    auto by = small_history();
    stored_state copy;
    std::vector<state_write> all;
    other.take_writes(log_file_start, all);
    for (const auto& each : all) {
      copy.write(each);
    }
    errc fault{};
    by = copy.load(std::move(by), log_file_start, fault);
    EXPECT_EQ(fault, errc{});
    state_.replace(std::move(by), copy.numbers.end);
    end_turn();
  }

  replica state_{small_replica(), 1};
};

}  // namespace chp::test
