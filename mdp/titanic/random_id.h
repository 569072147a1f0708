#pragma once
// Ids that nobody guesses, for who leaves requests.

#include "mdp/titanic/request_id.h"

namespace mdp::titanic {

// 128 bits of the kernel's random numbers.
[[nodiscard]] request_id random_id();

}  // namespace mdp::titanic
