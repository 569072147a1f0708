#pragma once
// Common parts of the clients that measure a clustered hashmap.

#include "chp/client.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace bench {

inline double seconds_of(std::chrono::steady_clock::duration d) {
  return std::chrono::duration<double>(d).count();
}

// With room for what is measured.
[[nodiscard]] chp::client_options large_map();

// The median and the 99th percentile of microseconds, as lines.
void report_latencies(std::vector<double> latencies);

// Sets keys, many at once, and waits until all are committed.
class map_filling {
public:
  // `key_of` of the how manieth; without it "key N".
  map_filling(chp::client& client, const boost::asio::any_io_executor& executor,
              std::uint64_t count, std::size_t value_size,
              std::function<std::string(std::uint64_t)> key_of = {});
  boost::asio::awaitable<void> run();

private:
  chp::client& client_;
  boost::asio::steady_timer timer_;
  std::uint64_t count_;
  std::string value_;
  std::function<std::string(std::uint64_t)> key_of_;
  std::uint64_t begun_ = 0;
  std::uint64_t committed_ = 0;
  boost::system::error_code failure_;
};

// Runs `work` and what it needs until it ends; throws what that throws.
template <class Work>
void run(boost::asio::io_context& context, Work&& work) {
  std::exception_ptr failure;
  boost::asio::co_spawn(context, std::forward<Work>(work), [&](const std::exception_ptr& thrown) {
    failure = thrown;
    context.stop();
  });
  context.run();
  if (failure) {
    std::rethrow_exception(failure);
  }
}

}  // namespace bench
