#pragma once
// Converts a store of version 1, which had a map and applied updates but no log. Calls block.

#include "chp/state_write.h"
#include "zmtp/storage/sqlite_database.h"

#include <boost/system/error_code.hpp>

#include <cstdint>
#include <functional>

namespace chp {

// Reads the old tables, hands writes that store the same to `store`, and removes the tables. The
// history has one reign and an empty log. Its tag follows from its epoch, so two converted servers of
// a pair have a common point: no two servers of a pair were active in one epoch.
//
// A session gets the outcomes of its latest updates. The store answers an older one, and one below a
// gap, as unknown. So no update is executed twice.
//
// Errors: store_damaged, and those of `store`.
[[nodiscard]] boost::system::error_code convert_map_file(
    zmtp::sqlite_database& file,
    const std::function<boost::system::error_code(const state_write&)>& store);

}  // namespace chp
