#pragma once
// What chp_storm says of its clients: how they stand, and whether their maps agree with one another and with the
// books.

#include "test/interop/chp_crowd.h"

#include <boost/json/object.hpp>

namespace chp::test {

[[nodiscard]] boost::json::object report_status(crowd& of);

// Everybody has the same, but for what has a time to live, and those of a subtree that of it.
[[nodiscard]] bool maps_are_equal(const crowd& of);
// Keys with a time to live are there.
[[nodiscard]] bool lifetimes_are_left(const crowd& of);

// What came of the waits for a comparison with the books: all was committed, what has a time to live was gone,
// and the maps were equal.
struct settled_crowd {
  bool committed = false;
  bool expired = false;
  bool equal = false;
};
// The status and that comparison, in which `good` says whether there was nothing wrong; faults in words go to
// standard error. What is good stands for what led to it from now on.
[[nodiscard]] boost::json::object report_check(crowd& of, const settled_crowd& waited);

}  // namespace chp::test
