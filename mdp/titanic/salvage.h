#pragma once
// What remains of a damaged store, in a new one.

#include "mdp/titanic/slot_file.h"

#include <boost/system/error_code.hpp>

#include <string>

namespace mdp::titanic {

// The new store takes the place of the old one, which is kept as `path`.damaged. Blocks.
// Errors: as slot_file::salvage and slot_writer::put; of the system, of renaming, such as that there is
// no such file, or that one from before is still kept. Then all is as it was.
[[nodiscard]] boost::system::error_code salvage(const std::string& path, salvage_report& report);

}  // namespace mdp::titanic
