#pragma once
// Copies the readable rows of a damaged store into a new one.

#include "mdp/titanic/slot_file.h"

#include <boost/system/error_code.hpp>

#include <string>

namespace mdp::titanic {

// Replaces the store with a new one that has its readable requests, and keeps the old one as
// `path`.damaged. Blocks. `path` names the old or the new store at each moment. If the process or
// the machine ends meanwhile, call salvage() again.
// Errors: those of slot_file::salvage and slot_writer::put, and these system errors. After an error
// the store is unchanged.
// - no_such_file_or_directory.
// - file_exists: an earlier `path`.damaged exists.
// - operation_not_permitted: the file system does not support hard links.
[[nodiscard]] boost::system::error_code salvage(const std::string& path, salvage_report& report);

}  // namespace mdp::titanic
