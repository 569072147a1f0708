#include "chp/keeping.h"

namespace chp {

const char* to_string(keeping how) noexcept {
  using enum keeping;
  switch (how) {
    case nothing: return "nothing";
    case all: return "all";
    case writing: return "writing";
    case full: return "full";
    case failed: return "failed";
  }
  return "";
}

}  // namespace chp
