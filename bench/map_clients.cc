#include "bench/map_clients.h"

#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <cstdio>

namespace bench {

namespace {

constexpr std::uint64_t most_waiting = 5'000;
constexpr std::size_t most_pending = 100'000;

}  // namespace

chp::client_options large_map() {
  chp::client_options options;
  options.pending_updates = most_pending;
  return options;
}

void report_latencies(std::vector<double> latencies) {
  std::sort(latencies.begin(), latencies.end());
  const auto at = [&latencies](double share) {
    return latencies[static_cast<std::size_t>(share * static_cast<double>(latencies.size() - 1))];
  };
  std::printf("latency p50: %.1f [us]\n", at(0.5));
  std::printf("latency p99: %.1f [us]\n", at(0.99));
}

map_filling::map_filling(chp::client& client, const boost::asio::any_io_executor& executor,
                         std::uint64_t count, std::size_t value_size,
                         std::function<std::string(std::uint64_t)> key_of)
    : client_{client},
      timer_{executor},
      count_{count},
      value_(value_size, '.'),
      key_of_{std::move(key_of)} {
  if (!key_of_) {
    key_of_ = [](std::uint64_t number) { return "key " + std::to_string(number); };
  }
}

boost::asio::awaitable<void> map_filling::run() {
  while (committed_ < count_) {
    for (; begun_ < count_ && begun_ - committed_ < most_waiting; ++begun_) {
      client_.async_set(key_of_(begun_), value_, [this](boost::system::error_code ec, chp::truth) {
        if (ec) {
          failure_ = ec;
        }
        ++committed_;
      });
    }
    timer_.expires_after(std::chrono::milliseconds{1});
    co_await timer_.async_wait(boost::asio::use_awaitable);
    if (failure_) {
      throw boost::system::system_error{failure_};
    }
  }
}

}  // namespace bench
