#pragma once
// Ids of requests that differ in their first byte.

#include "mdp/titanic/request_id.h"

#include <cstdint>

namespace mdp::titanic::test {

inline request_id id_of(std::uint8_t first) {
  request_id id;
  id.bytes[0] = first;
  id.bytes[15] = 0xAB;
  return id;
}

}  // namespace mdp::titanic::test
