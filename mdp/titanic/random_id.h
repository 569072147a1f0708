#pragma once
// Random ids for requests, which other clients cannot guess.

#include "mdp/titanic/request_id.h"

namespace mdp::titanic {

// Returns 128 bits of the kernel's random numbers.
[[nodiscard]] request_id random_id();

}  // namespace mdp::titanic
