#pragma once
// Reports of the requests that a pirate queue drops.

#include "zmtp/pattern/pirate_queue_state.h"

namespace guide {

// Counts dropped requests, and prints each count that is a power of two: no client can flood the output.
class pirate_drops {
public:
  void tell(zmtp::pirate_event what);

private:
  unsigned long unserved_ = 0;
  unsigned long unsuitable_ = 0;
};

}  // namespace guide
