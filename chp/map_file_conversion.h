#pragma once
// Converts a store of version 1, which had a map and applied updates but no log. Calls block.

#include "chp/state_write.h"
#include "zmtp/storage/sqlite_database.h"

#include <boost/system/error_code.hpp>

#include <cstdint>
#include <functional>

namespace chp {

// Reads the old tables, hands writes that store the same to `store`, and removes the tables. The
// history has one reign, of this tag, and an empty log. Two things cannot be converted exactly:
//
// - A session gets the outcomes of its latest updates. The store answers an older one, and one below
//   a gap, as unknown. So no update is executed twice.
// - Two converted servers of a pair have no common point. The one that becomes passive copies the
//   history of the other.
//
// Errors: store_damaged, and those of `store`.
[[nodiscard]] boost::system::error_code convert_map_file(
    zmtp::sqlite_database& file, std::uint64_t tag,
    const std::function<boost::system::error_code(const state_write&)>& store);

}  // namespace chp
