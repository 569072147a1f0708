#pragma once
// Imports the folder `.titanic` of the Guide's Titanic, in C or in Python. The folder is only read.

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
  std::uint64_t known = 0;       // in the store already
  std::uint64_t unreadable = 0;  // cut short, or not a request
};

// Returns the message of a .req or .rep file. Python's files are a pickle of a list of bytes, of
// any protocol. Returns nothing if the file has neither format.
[[nodiscard]] std::optional<zmtp::message> guide_message(std::span<const std::byte> bytes);

// Calls `take` with each request: those of the queue in order, then the others.
// Errors: a system error if the folder cannot be read, and errors of `take`, which end the call.
[[nodiscard]] boost::system::error_code read_guide_directory(
    const std::string& path, const std::function<boost::system::error_code(whole_slot&&)>& take,
    import_report& report);

// Copies all requests into the store at `store`, and creates the store if it does not exist. May be
// repeated: requests that are in the store already do not change.
// Errors: those of read_guide_directory, slot_file::open and slot_writer::put.
[[nodiscard]] boost::system::error_code import_guide_directory(const std::string& path,
                                                               const sqlite_options& store,
                                                               import_report& report);

}  // namespace mdp::titanic
