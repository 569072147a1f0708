#pragma once
// Puts whole slots behind those of a file, many with one sync. Blocks.

#include "mdp/titanic/slot_file.h"

#include <boost/system/error_code.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mdp::titanic {

class slot_writer {
public:
  // `slots` as slot_file::open gave them. The file must outlive this.
  slot_writer(slot_file& to, const std::vector<kept_request>& slots);

  // The number is given anew, and the place in the order of acceptance if it is 0.
  // Errors: store_full, store_failed.
  [[nodiscard]] boost::system::error_code put(whole_slot&& one);
  // To be called after the last.
  [[nodiscard]] boost::system::error_code flush();

private:
  slot_file& to_;
  std::uint64_t last_number_;
  std::uint64_t last_accepted_ = 0;
  std::size_t octets_ = 0;
  std::vector<store_operation> batch_;
};

}  // namespace mdp::titanic
