#pragma once
// A block to read into, for the length of a turn and then for the next connection: one of which nothing
// waits owns nothing.

#include "zmtp/buffer/block.h"

namespace zmtp {

// Of block_size::reading octets: the same one each time while no message keeps a slice of it, else one
// of a few that messages have let go of. Each thread has its own. Throws std::bad_alloc.
[[nodiscard]] block_ptr scratch_block();

}  // namespace zmtp
