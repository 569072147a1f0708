#pragma once
// What remains of a damaged store, in a new one.

#include "mdp/titanic/slot_file.h"

#include <boost/system/error_code.hpp>

#include <string>

namespace mdp::titanic {

// Puts the new store in the place of the old one, and keeps the old one as `path`.damaged. Blocks.
// `path` names the old or the new store at each moment. If the process or the machine ends meanwhile, call
// salvage() again.
// Errors: those of slot_file::salvage and slot_writer::put, and system errors of the two names:
// no_such_file_or_directory, file_exists (an earlier `path`.damaged), operation_not_permitted (the file system
// does not have hard links). After an error the store is unchanged.
[[nodiscard]] boost::system::error_code salvage(const std::string& path, salvage_report& report);

}  // namespace mdp::titanic
