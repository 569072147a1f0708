#pragma once
// A block to read into for one turn, shared by all connections of a thread. So an idle connection
// does not own a buffer.

#include "zmtp/buffer/block.h"

namespace zmtp {

// Returns a block of block_size::reading bytes. Returns the same block while no message keeps a
// slice of it. Otherwise returns one of a few blocks whose slices are released, or a new one. Each
// thread has its own blocks. Throws std::bad_alloc.
[[nodiscard]] block_ptr scratch_block();

}  // namespace zmtp
