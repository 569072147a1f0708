#pragma once
// The progress of many requests, on standard error while it is a terminal.

#include <chrono>
#include <cstddef>
#include <string>

namespace zinc {

// Returns the line: `1200 of 10000 (12 %), 3 failed, 4500/s`. Pure.
[[nodiscard]] std::string progress_text(std::size_t ended, std::size_t total, std::size_t failed,
                                        double seconds);

class progress {
public:
  // Shows the progress if it is `wanted` and standard error is a terminal.
  progress(std::size_t total, bool wanted);
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress() { clear(); }

  // Call it when a request has ended.
  void update(std::size_t ended, std::size_t failed);
  // Removes the line, so that another text can be printed.
  void clear();

private:
  using clock = std::chrono::steady_clock;

  const std::size_t total_;
  const bool shows_;
  const clock::time_point began_ = clock::now();
  clock::time_point next_ = began_;
  bool visible_ = false;
};

}  // namespace zinc
