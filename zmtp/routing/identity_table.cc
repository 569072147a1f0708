#include "zmtp/routing/identity_table.h"

namespace zmtp {

std::string identity_table::make_up(std::uint32_t random) {
  std::string id;
  do {
    last_made_up_ = last_made_up_ ? *last_made_up_ + 1 : random;
    id.assign(1, '\0');
    for (int shift = 24; shift >= 0; shift -= 8) {
      id += static_cast<char>(*last_made_up_ >> shift & 0xff);
    }
  } while (peers_.contains(id));
  return id;
}

}  // namespace zmtp
