#pragma once
// Whether the map has room for an update at the end of the log, which the map does not have yet. Pure.

#include "chp/error.h"
#include "chp/history.h"
#include "chp/store.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace chp {

// Far below the limits a comparison is enough. Near them, the entries that are not published are
// counted exactly, each a constant number of times.
class map_room {
public:
  explicit map_room(const store_limits& limits) noexcept;

  // Errors: too_many_keys, too_many_bytes.
  [[nodiscard]] errc check(const history& of, std::string_view key, std::string_view value);
  // The history was replaced.
  void reset() noexcept { counted_ = 0; }

private:
  // A key at the end of the log.
  struct state {
    std::size_t bytes = 0;  // with its value; 0: it is erased
    sequence number = 0;
  };
  using changed_keys = boost::unordered_flat_map<std::string, state>;

  void count_to_end(const history& of);
  void count(const history& of, const log_entry& e);
  [[nodiscard]] state state_of(const history& of, std::string_view key) const;

  store_limits limits_;
  changed_keys changed_;      // by the entries from when the map was at `counted_`
  std::size_t most_changed_;  // above it, counting begins again
  entry_log::cursor at_;
  sequence counted_ = 0;  // entries up to here; 0: none
  std::size_t keys_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace chp
