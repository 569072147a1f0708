#pragma once
// Where a server keeps its map, if it is to outlive the server (reliability.md 3.2, G7). Pure.

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

struct kept_entry {
  std::string key;
  std::string value;    // empty: it was erased, which somebody wants to remember
  sequence number = 0;  // of the update that set it
  update_id id{};
  // From the moment at which it is loaded it lives as long as it had to live when it was written: the time
  // of day decides nothing, so it goes late by what had passed of it, and never early.
  std::optional<std::chrono::milliseconds> ttl{};

  friend bool operator==(const kept_entry&, const kept_entry&) = default;
};

// What a store holds when it is opened.
struct kept_map {
  std::vector<kept_entry> entries;   // in the order of keys
  std::vector<std::string> applied;  // pieces of the update_register
  sequence number = 0;               // the highest there was, whose epoch is the last one
  std::string memo;                  // what was to be remembered last
};

enum class map_operation : std::uint8_t {
  set,    // the key, its value, id, number and ttl
  erase,  // the key goes
  note,   // nothing but id and number
  refuse,  // the update of this id, which has a session, is never made; `value` says why: refusal_text()
  remember,     // `value` is the memo, which is the server's to understand
  add_applied,  // `value` is a piece of an update_register, and all of it is applied
  clear,        // everything goes: what follows is the whole map
};

struct map_change {
  map_operation what;
  sequence number = 0;  // the store's is the highest that it was given; after `clear`, since then
  update_id id{};       // is applied, or refused, from then on; none if it is empty
  std::string key{};
  std::string value{};
  std::optional<std::chrono::milliseconds> ttl{};  // what is left of it
};

// Why an update is never made, as the value of a change.
[[nodiscard]] inline std::string refusal_text(errc why) {
  return {static_cast<char>(refusal_code(why))};
}
[[nodiscard]] inline errc refusal_in(std::string_view text) noexcept {
  return refusal_of(text.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(text.front()));
}

// Thread safety: to be called by one thread at a time, that of the executor its results come in.
class map_store {
public:
  using load_handler = std::function<void(boost::system::error_code, kept_map)>;
  using write_handler = std::function<void(boost::system::error_code)>;

  virtual ~map_store() = default;

  // To be called first, and once. The handler is called in the executor that the store was made for.
  // Errors: not_a_store, store_version, store_in_use, store_damaged, store_full, store_failed.
  virtual void load(load_handler on_loaded) = 0;
  // Writes are carried out in order, each wholly or not at all, and what comes while one is written is
  // written with one sync. One without an error is on the disk when its handler is called, which is
  // never from within this call; whatever happens then, it is there.
  // Errors: store_full, and then each later one is refused so, since what is kept has no holes, until
  // there is one that begins with `clear` and has room; malformed_register, likewise; store_failed, and
  // then all later ones fail.
  virtual void write(std::vector<map_change>&& changes, write_handler on_written) = 0;
};

// One that has been loaded, and what was found in it.
struct loaded_map {
  std::shared_ptr<map_store> store;
  kept_map found;
};

}  // namespace chp
