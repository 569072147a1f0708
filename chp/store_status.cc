#include "chp/store_status.h"

namespace chp {

const char* to_string(store_status how) noexcept {
  using enum store_status;
  switch (how) {
    case nothing: return "nothing";
    case all: return "all";
    case full: return "full";
    case failed: return "failed";
  }
  return "";
}

}  // namespace chp
