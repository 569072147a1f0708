#pragma once
// The messages to send: one per file, or one per line of standard input.

#include "tools/zinc/input_reader.h"
#include "tools/zinc/message_lines.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace zinc {

class message_source {
public:
  // Reads the files, or without files the lines of standard input in this style. Calls `on_fault` with the
  // error for a line that cannot be read.
  message_source(const boost::asio::any_io_executor& executor, std::vector<std::string> files,
                 line_style style, std::function<void(std::string_view)> on_fault);

  // Reads the next message, and skips lines that are not messages. Returns false at the end, after a read
  // error and after cancel(). Throws std::runtime_error if a file cannot be read. Reads must not overlap.
  boost::asio::awaitable<bool> read(zmtp::message& to);
  // Ends the current read and every later one.
  void cancel() { input_.cancel(); }

private:
  boost::asio::awaitable<bool> read_line();

  const std::vector<std::string> files_;
  const line_style style_;
  const std::function<void(std::string_view)> on_fault_;
  input_reader input_;
  std::size_t next_file_ = 0;
  std::string unread_;  // input from begin_ on
  std::size_t begin_ = 0;
  std::string line_;
  std::size_t line_number_ = 0;
};

}  // namespace zinc
