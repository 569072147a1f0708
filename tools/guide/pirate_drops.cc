#include "tools/guide/pirate_drops.h"

#include "tools/guide/program.h"

#include <bit>

namespace guide {

void pirate_drops::tell(zmtp::pirate_event what) {
  if (!zmtp::is_of_request(what)) {
    return;
  }
  const bool unserved = what == zmtp::pirate_event::request_unserved;
  auto& count = unserved ? unserved_ : unsuitable_;
  if (std::has_single_bit(++count)) {
    say("W: requests expired: {}; {}", count,
        unserved
            ? "no worker is there: start one"
            : "no worker takes bodies of several parts: start one that does, or send one part");
  }
}

}  // namespace guide
