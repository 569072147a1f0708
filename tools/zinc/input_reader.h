#pragma once
// Reads standard input or another descriptor of any kind.

#include "zmtp/error.h"
#include "zmtp/runtime/completion.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>

#include <memory>
#include <string>

namespace zinc {

// A thread reads, because epoll does not support files, and a non-blocking terminal is non-blocking for every
// program that prints to it. The thread reads once for each call.
class input_reader {
public:
  input_reader(boost::asio::any_io_executor executor, int descriptor);
  input_reader(const input_reader&) = delete;
  input_reader& operator=(const input_reader&) = delete;
  // Does not wait for the thread, which ends when its read returns.
  ~input_reader();

  // Reads up to 64 KiB. The caller must not start a second read before the first has completed.
  // Completes with: error_code and the bytes, which are empty at the end of the input.
  // Errors: those of the system. After cancel(), always operation_aborted.
  template <class Token>
  auto async_read(Token&& token) {
    return boost::asio::async_initiate<Token, void(zmtp::error_code, std::string)>(
        [this](zmtp::completion_handler<void(zmtp::error_code, std::string)> h) {
          start(std::move(h));
        },
        token);
  }
  void cancel();

private:
  using handler = zmtp::completion_handler<void(zmtp::error_code, std::string)>;
  struct desk;

  static void read(const std::shared_ptr<desk>& of);
  void start(handler h);

  std::shared_ptr<desk> desk_;
};

}  // namespace zinc
