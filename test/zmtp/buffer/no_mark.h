#pragma once
// A queue without a limit.

#include "zmtp/buffer/send_queue.h"

namespace zmtp::test {

inline constexpr high_water_mark no_mark{.messages = {}, .bytes = {}};

}  // namespace zmtp::test
