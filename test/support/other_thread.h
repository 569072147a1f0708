#pragma once
// A context that a thread of its own runs.

#include <boost/asio/io_context.hpp>

#include <thread>

namespace zmtp::test {

// From start() on, until nothing is left to run, which its end waits for.
class other_thread {
public:
  other_thread() = default;
  other_thread(const other_thread&) = delete;
  other_thread& operator=(const other_thread&) = delete;
  ~other_thread() {
    if (thread_.joinable()) {
      thread_.join();
    }
  }
  [[nodiscard]] boost::asio::io_context& context() { return context_; }
  void start() {
    thread_ = std::thread{[this] { context_.run(); }};
  }

private:
  boost::asio::io_context context_{1};
  std::thread thread_;
};

}  // namespace zmtp::test
