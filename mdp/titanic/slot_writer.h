#pragma once
// Appends whole slots to a file, many with one sync. Blocks.

#include "mdp/titanic/slot_file.h"

#include <boost/system/error_code.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mdp::titanic {

class slot_writer {
public:
  // `slots` is the result of slot_file::open. The file must outlive this object.
  slot_writer(slot_file& to, const std::vector<stored_request>& slots);

  // Adds a slot with a new number. A position of 0 in the order of acceptance becomes the last one.
  // Errors: store_full, store_failed.
  [[nodiscard]] boost::system::error_code put(whole_slot&& one);
  // Must be called after the last put().
  [[nodiscard]] boost::system::error_code flush();

private:
  slot_file& to_;
  std::uint64_t last_number_;
  std::uint64_t last_accepted_ = 0;
  std::size_t bytes_ = 0;
  std::vector<store_operation> batch_;
};

}  // namespace mdp::titanic
