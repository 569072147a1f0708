#pragma once
// Changes to write to a map_database, and the content of a map_database.

#include "chp/map_database.h"
#include "chp/update_register.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace chp {

inline const auto kept_session = update_id::make_session(0xabcd'0000'0000'0001);

inline update_id kept_id(std::uint64_t counter) {
  return update_id::of_session(kept_session, counter);
}

inline map_change set_of(std::string key, std::string value, std::uint64_t number,
                         std::optional<std::chrono::milliseconds> ttl = {}) {
  return {.what = map_operation::set,
          .number = number,
          .id = kept_id(number),
          .key = std::move(key),
          .value = std::move(value),
          .ttl = ttl};
}
inline map_change erase_of(std::string key, std::uint64_t number) {
  return {
      .what = map_operation::erase, .number = number, .id = kept_id(number), .key = std::move(key)};
}
inline map_change server_record_of(std::string server_record) {
  return {.what = map_operation::remember, .value = std::move(server_record)};
}
inline map_change note_of(std::uint64_t number, update_id id = {}) {
  return {.what = map_operation::note, .number = number, .id = id};
}

inline std::unique_ptr<update_register> register_of(const stored_map& found) {
  auto all = std::make_unique<update_register>();
  for (const auto& piece : found.applied) {
    EXPECT_FALSE(all->unpack(piece));
  }
  return all;
}

// The same map, of which the same updates of kept_session are applied.
inline bool is_same(const stored_map& a, const stored_map& b) {
  const auto of_a = register_of(a);
  const auto of_b = register_of(b);
  const auto in_a = of_a->find(kept_session);
  const auto in_b = of_b->find(kept_session);
  return a.entries == b.entries && a.number == b.number && a.server_record == b.server_record &&
         in_a.counter == in_b.counter && in_a.gaps.size() == in_b.gaps.size() &&
         of_a->others() == of_b->others();
}

}  // namespace chp
