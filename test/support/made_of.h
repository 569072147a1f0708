#pragma once
// A message of given parts.

#include "test/support/wire.h"
#include "zmtp/message.h"

#include <string>

namespace zmtp::test {

inline message made_of(const parts& from) {
  message m;
  for (const auto& part : from) {
    m.adopt_back(std::string{part});
  }
  return m;
}

}  // namespace zmtp::test
