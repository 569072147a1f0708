#pragma once
// Reports of chp_storm about its clients: their status, and whether their maps agree with one another and with
// the ledger.

#include "test/interop/chp_crowd.h"

#include <boost/json/object.hpp>

namespace chp::test {

[[nodiscard]] boost::json::object report_status(crowd& of);

// Returns whether all clients have the same map. Ignores keys with a time to live, and compares a subtree with
// the same subtree.
[[nodiscard]] bool maps_are_equal(const crowd& of);
// Keys with a time to live are there.
[[nodiscard]] bool lifetimes_are_left(const crowd& of);

// The outcome of the waits before a comparison with the ledger: all updates are committed, keys with a time to
// live have expired, and the maps are equal.
struct settled_crowd {
  bool committed = false;
  bool expired = false;
  bool equal = false;
};
// Returns the status and the comparison. Its member `good` tells whether there was no fault. Prints faults as
// text to standard error. From now on, a good map replaces the updates that led to it.
[[nodiscard]] boost::json::object report_check(crowd& of, const settled_crowd& waited);

}  // namespace chp::test
