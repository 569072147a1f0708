#pragma once
// The lines of a file of lost updates. Pure.

#include "chp/log_entry.h"

#include <cstddef>
#include <string>

namespace chp {

// Appends {"number":…,"key":…,"value":…,"erased":true,"ttl":<ms>,"id":…} and a line end for an update
// of a client: members that an entry does not have are left out. Bytes that are not UTF-8 are
// written as {"hex":"…"}. Returns 1, or 0 for a reign, an expiry and a refusal, which have no line.
std::size_t append_lost(std::string& lines, const log_entry& e);

}  // namespace chp
