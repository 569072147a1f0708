#pragma once
// Reads standard input, or another descriptor, whatever it is.

#include "zmtp/error.h"
#include "zmtp/socket/completion_handler.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>

#include <memory>
#include <string>

namespace zinc {

// In a thread of its own: epoll does not know files, and a terminal that is made non-blocking is so for
// those who print to it too. The thread reads when it is asked to, once each time.
class input_reader {
public:
  input_reader(boost::asio::any_io_executor executor, int descriptor);
  input_reader(const input_reader&) = delete;
  input_reader& operator=(const input_reader&) = delete;
  // Does not wait for the thread, which goes when its read returns.
  ~input_reader();

  // Waits for octets, up to 64 KiB. One read at a time.
  // Completes with error_code and the octets, none at the end of the input.
  // Errors: the system's; operation_aborted after cancel(), and then for ever.
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
