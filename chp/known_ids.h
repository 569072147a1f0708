#pragma once
// The last ids of updates that have no session, so that such an update is not executed twice. Pure.

#include "chp/divided_set.h"
#include "chp/error.h"
#include "chp/sequence.h"
#include "chp/update_id.h"
#include "zmtp/routing/keyed_hash.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace chp {

// Each id has the number of its entry. Numbers rise.
class known_ids {
public:
  static constexpr std::size_t row_size = sizeof(sequence) + update_id::size;

  // Peers choose the ids, so `seed` must be random.
  known_ids(std::uint64_t seed, std::size_t limit)
      : by_id_{hash_of_id{zmtp::keyed_hash{seed}}}, limit_{std::max<std::size_t>(limit, 1)} {}

  [[nodiscard]] bool contains(const update_id& id) const noexcept { return by_id_.contains(id); }
  // Does nothing if the id is known or empty. Above the limit, the oldest id is forgotten.
  void insert(const update_id& id, sequence number);
  [[nodiscard]] std::size_t size() const noexcept { return by_id_.size(); }
  [[nodiscard]] std::size_t limit() const noexcept { return limit_; }

  // The n-th id that was ever inserted has index n. Appends rows from index `from` on whose numbers
  // are not above `to`, at most `most` of them, and returns the index behind the last one. Forgotten
  // ids are left out.
  [[nodiscard]] std::uint64_t append_rows(std::uint64_t from, sequence to, std::size_t most,
                                          std::string& rows) const;
  // Inserts the ids of rows. Errors: malformed_session. Rows before the fault have been inserted.
  [[nodiscard]] errc insert_rows(std::string_view rows);

private:
  struct itself {
    const update_id& operator()(const update_id& id) const noexcept { return id; }
  };
  struct hash_of_id {
    zmtp::keyed_hash of;
    std::size_t operator()(const update_id& id) const noexcept { return of(id.bytes()); }
  };
  struct numbered {
    update_id id;
    sequence number;
  };

  divided_set<update_id, itself, hash_of_id> by_id_;
  std::vector<numbered> ring_;  // the n-th id is at n modulo the limit
  std::uint64_t ever_ = 0;
  std::size_t limit_;
};

}  // namespace chp
