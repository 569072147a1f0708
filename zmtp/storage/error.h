#pragma once
// Everything that can be wrong with a file of what must last.

#include <boost/system/error_code.hpp>

#include <type_traits>

namespace zmtp {

enum class storage_errc {
  not_a_store = 1,  // the file is something else
  store_version,    // of a version that is not known here
  store_in_use,     // another process has it
  store_damaged,    // rows are missing or altered
  store_full,       // no room: nothing was written, later there may be
  store_failed,     // it cannot be written any more; what was to be written may be there or not
  row_damaged,      // this row is missing or altered
  read_failed,      // the disk or the memory failed at a read; nothing was written, try again later
};

[[nodiscard]] const boost::system::error_category& storage_category() noexcept;

[[nodiscard]] inline boost::system::error_code make_error_code(storage_errc e) noexcept {
  return {static_cast<int>(e), storage_category()};
}

}  // namespace zmtp

template <>
struct boost::system::is_error_code_enum<zmtp::storage_errc> : std::true_type {};
