#pragma once
// Why a status could not be read.

#include "tools/zinc/exit_code.h"

#include <stdexcept>
#include <string>

namespace zinc::status {

// The text has the fault and the remedy.
class fault : public std::runtime_error {
public:
  fault(exit_code of, const std::string& text) : std::runtime_error{text}, code{of} {}

  exit_code code;
};

}  // namespace zinc::status
