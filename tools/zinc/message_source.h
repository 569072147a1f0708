#pragma once
// Where the messages to send come from: a file each, or the lines of standard input.

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
  // Reads the lines as `style` has it, or `files` if there are any. Says to `on_fault` what cannot be read
  // and why.
  message_source(const boost::asio::any_io_executor& executor, std::vector<std::string> files,
                 line_style style, std::function<void(std::string_view)> on_fault);

  // The next one. False at the end, where the input cannot be read, and after cancel(). A line that is no
  // message is passed over. Throws std::runtime_error where a file cannot be read. One read at a time.
  boost::asio::awaitable<bool> read(zmtp::message& to);
  // For ever.
  void cancel() { input_.cancel(); }

private:
  boost::asio::awaitable<bool> read_line();

  const std::vector<std::string> files_;
  const line_style style_;
  const std::function<void(std::string_view)> on_fault_;
  input_reader input_;
  std::size_t next_file_ = 0;
  std::string unread_;  // from begin_ on
  std::size_t begin_ = 0;
  std::string line_;
  std::size_t line_number_ = 0;
};

}  // namespace zinc
