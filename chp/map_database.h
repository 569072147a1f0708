#pragma once
// Interface of the store of a server's map (reliability.md 3.2, G7). Pure.

#include "chp/acknowledgement.h"
#include "chp/error.h"
#include "chp/sequence.h"
#include "chp/update_id.h"
#include "zmtp/storage/error.h"

#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chp {

// An entry of a stored map.
struct stored_entry {
  std::string key;
  std::string value;    // empty: the record of an erased key
  sequence number = 0;  // the update that set it
  update_id id{};
  // Time left when the entry was written. The key lives for this time after loading. So it expires
  // late by the time in between, and never early. The time of day has no effect.
  std::optional<std::chrono::milliseconds> ttl{};

  friend bool operator==(const stored_entry&, const stored_entry&) = default;
};

// The content of a store when it is opened.
struct stored_map {
  std::vector<stored_entry> entries;  // in the order of keys
  std::vector<std::string> applied;   // pieces of the update_register
  sequence number = 0;                // the highest sequence; its epoch is the last one
  std::string server_record;          // the last memo of the server
};

// An operation of a change.
enum class map_operation : std::uint8_t {
  set,     // stores the key, its value, id, number and ttl
  erase,   // removes the key
  note,    // stores only id and number
  refuse,  // marks the update of this id as refused; it has a session, and `value` is refusal_text()
  remember,     // stores `value` as the memo, which only the server understands
  add_applied,  // adds the updates in `value`, a piece of an update_register
  clear,        // removes everything; the whole map follows
};

// A change of a stored map.
struct map_change {
  map_operation what;
  sequence number = 0;  // the store has the highest one since the last `clear`
  update_id id{};       // applied or refused from now on; empty: none
  std::string key{};
  std::string value{};
  std::optional<std::chrono::milliseconds> ttl{};  // time left
};

// Converts the reason of a refusal to and from the value of a change.
[[nodiscard]] inline std::string refusal_text(errc why) {
  return {static_cast<char>(refusal_code(why))};
}
[[nodiscard]] inline errc refusal_in(std::string_view text) noexcept {
  return refusal_of(text.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(text.front()));
}

// Stores the map of a server.
//
// Thread safety: not safe. Call it only in the executor of its results.
class map_database {
public:
  using load_handler = std::function<void(boost::system::error_code, stored_map)>;
  using write_handler = std::function<void(boost::system::error_code)>;

  virtual ~map_database() = default;

  // Loads the store. Must be the first call, and made once. The handler runs in the executor of the
  // store.
  // Errors: not_a_store, store_version, store_in_use, store_damaged, store_full, store_failed.
  virtual void load(load_handler on_loaded) = 0;
  // Writes changes. Writes are carried out in order, each one completely or not at all. Writes that
  // are submitted during a write are synced together. When the handler is called without an error,
  // the changes are on the disk. The handler is never called inside this call.
  // Errors:
  // - store_full, malformed_register: the store also rejects all later writes, because it must not
  //   have gaps, until one starts with `clear` and fits.
  // - store_failed: all later writes fail as well.
  virtual void write(std::vector<map_change>&& changes, write_handler on_written) = 0;
};

// A loaded store and its content.
struct loaded_map {
  std::shared_ptr<map_database> store;
  stored_map found;
};

}  // namespace chp
