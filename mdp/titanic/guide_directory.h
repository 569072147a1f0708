#pragma once
// The folder `.titanic` of the Guide's Titanic, in C or in Python, to be taken over. It is only read.

#include "mdp/titanic/slot_file.h"

#include <boost/system/error_code.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace mdp::titanic {

struct import_report {
  std::uint64_t pending = 0;
  std::uint64_t answered = 0;
  std::uint64_t known = 0;       // that the store had already
  std::uint64_t unreadable = 0;  // cut short, or no request at all
};

// Of a .req or .rep file. Python's is a pickle of a list of bytes, of any protocol.
// Nothing for what is neither that nor C's.
[[nodiscard]] std::optional<zmtp::message> guide_message(std::span<const std::byte> octets);

// Calls `take` with each request: those of the queue in its order, then what else there is.
// Errors: of the system, where the folder cannot be read; those of `take`, which end it.
[[nodiscard]] boost::system::error_code read_guide_directory(
    const std::string& path, const std::function<boost::system::error_code(whole_slot&&)>& take,
    import_report& report);

// Puts them all into the store at `store`, which is made if there is none. May be done again: what is
// there already stays as it is.
// Errors: as above, and as slot_file::open and slot_writer::put.
[[nodiscard]] boost::system::error_code import_guide_directory(const std::string& path,
                                                               const sqlite_options& store,
                                                               import_report& report);

}  // namespace mdp::titanic
