#pragma once
// A drill in a process, a network and a folder of its own.

#include "tools/zinc/interop/drill.h"
#include "tools/zinc/interop/programs.h"

#include <string>
#include <sys/types.h>

namespace zinc::interop {

// It and all that it has started end with this object, at the latest, and the folder goes.
class drill_process {
public:
  // Throws std::system_error where there is no process or no folder to be had.
  drill_process(const drill& one, combination played, const programs& ours, const programs& theirs,
                bool isolated);
  drill_process(const drill_process&) = delete;
  drill_process& operator=(const drill_process&) = delete;
  ~drill_process();

  // Becomes readable with the verdict.
  [[nodiscard]] int descriptor() const noexcept { return verdict_; }
  // What there is to read; true when it is all.
  [[nodiscard]] bool read();
  [[nodiscard]] verdict found() const;

private:
  ::pid_t id_ = -1;
  int verdict_ = -1;
  std::string folder_;
  std::string read_;
};

}  // namespace zinc::interop
