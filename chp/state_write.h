#pragma once
// The changes of one transaction of a store. Plain data.

#include "chp/sequence.h"
#include "chp/witness.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace chp {

// Numbers of a server's state that are stored with it.
struct state_numbers {
  sequence start = 0;      // the stored log has the entries above this one
  sequence end = 0;        // the last entry
  sequence published = 0;  // the stored map has the entries up to here
  sequence commit = 0;
  sequence both = 0;       // see replica::both()
  sequence needed = 0;     // see replica::lacks_data()
  sequence forgotten = 0;  // see sessions::forgotten()
  member_id member = 0;    // see replica::member(); 0: none was drawn yet

  friend bool operator==(const state_numbers&, const state_numbers&) = default;
};

// A store carries out writes in order. Each one is completely on the disk after a crash, or not at
// all. So a restart finds one state.
struct state_write {
  bool replaces = false;  // removes everything that is stored, first
  bool more = false;      // the next write belongs to the same transaction
  std::string entries;    // records to append to the log (log_entry.h)
  // Records. One of kind `set` stores the row of its key: value, number, id and ttl. Another kind
  // removes the row.
  std::string map;
  std::string sessions;                           // rows to store (sessions.h), by session
  std::vector<std::uint64_t> forgotten_sessions;  // rows to remove after that
  std::string ids;                                // rows to append (known_ids.h)
  std::optional<std::string> lineage;             // replaces all rows (lineage.h)
  state_numbers
      numbers;  // entries of the log up to `start` can be removed; see history for the last reign
};

}  // namespace chp
