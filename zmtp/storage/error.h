#pragma once
// Errors of a store file.

#include <boost/system/error_code.hpp>

#include <type_traits>

namespace zmtp {

enum class storage_errc {
  not_a_store = 1,  // the file is not a store
  store_version,    // written by an unknown version
  store_in_use,     // another process uses it
  store_damaged,    // rows are missing or altered
  store_full,       // no space left: nothing was written, a later write may succeed
  store_failed,     // writes fail from now on; the last one may be in the file or not
  row_damaged,      // this row is missing or altered
  read_failed,      // a read failed (disk or memory): nothing was written, try again later
};

[[nodiscard]] const boost::system::error_category& storage_category() noexcept;

[[nodiscard]] inline boost::system::error_code make_error_code(storage_errc e) noexcept {
  return {static_cast<int>(e), storage_category()};
}

}  // namespace zmtp

template <>
struct boost::system::is_error_code_enum<zmtp::storage_errc> : std::true_type {};
