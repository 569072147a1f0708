#pragma once
// Ids of updates by which a server knows the session of a client.

#include "chp/update_id.h"

#include <cstdint>

namespace chp::test {

inline update_id session_id(std::uint64_t session, std::uint64_t counter) {
  return update_id::of_session(update_id::make_session(session << 16), counter);
}

inline const update_id some_id = update_id::of_session(update_id::make_session(7), 3);

}  // namespace chp::test
