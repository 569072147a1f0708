#pragma once
// Random ids for requests, which other clients cannot guess.

#include "mdp/titanic/request_id.h"
#include "zmtp/runtime/runtime.h"

namespace mdp::titanic {

// Returns 128 random bits.
[[nodiscard]] request_id random_id(zmtp::runtime& of);

}  // namespace mdp::titanic
