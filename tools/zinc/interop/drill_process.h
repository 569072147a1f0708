#pragma once
// A drill in its own process, network and directory.

#include "tools/zinc/interop/drill.h"
#include "tools/zinc/interop/programs.h"
#include "tools/zinc/launcher.h"

#include <optional>
#include <string>

namespace zinc::interop {

// The destructor ends the drill and all its processes, and removes the directory.
class drill_process {
public:
  // Throws std::system_error if it cannot create the process or the directory.
  drill_process(const drill& one, combination played, const programs& ours, const programs& theirs,
                bool isolated);
  drill_process(const drill_process&) = delete;
  drill_process& operator=(const drill_process&) = delete;
  ~drill_process();

  // Becomes readable with the verdict.
  [[nodiscard]] int descriptor() const noexcept { return verdict_; }
  // Reads the available part of the verdict. Returns true when it is complete.
  [[nodiscard]] bool read();
  [[nodiscard]] verdict found() const;

private:
  std::optional<child_process> process_;
  int verdict_ = -1;
  std::string folder_;
  std::string read_;
};

}  // namespace zinc::interop
