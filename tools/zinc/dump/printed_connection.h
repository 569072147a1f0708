#pragma once
// The records of one connection as lines.

#include "tools/zinc/dump/connection_decoder.h"
#include "tools/zinc/dump/record_lines.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace zinc::dump {

struct line_output {
  bool json = false;
  std::function<std::chrono::microseconds()> now;  // since 1970
  std::function<void(const std::string&)> write;   // whole lines
};

// Writes all records that one call makes at once.
class printed_connection {
public:
  // Keeps a reference to `output`.
  printed_connection(const decoder_options& options, const line_output& output,
                     std::uint64_t number)
      : output_{output}, number_{number}, decoder_{options, [this](const record& one) {
                                                     add(one);
                                                   }} {}

  template <class Call>
  void operator()(Call&& call) {
    std::forward<Call>(call)(decoder_);
    if (!lines_.empty()) {
      output_.write(lines_);
      lines_.clear();
    }
  }

private:
  void add(const record& one) {
    const stamp when{output_.now(), number_};
    lines_ += output_.json ? json_line_of(one, when) : text_line_of(one, when);
  }

  const line_output& output_;
  std::uint64_t number_;
  std::string lines_;
  connection_decoder decoder_;
};

}  // namespace zinc::dump
