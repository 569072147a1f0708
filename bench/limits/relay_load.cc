// One client with IN_FLIGHT requests outstanding and WORKERS workers that echo, all in one process;
// prints the requests per second. One request before them is not counted: it waits until a worker
// is there.
#include "bench/limits/record_stream.h"
#include "bench/support/arguments.h"
#include "bench/support/report.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace bench::limits {
namespace {

constexpr std::uint64_t largest_capacity = 255;
constexpr std::uint64_t client_tag = 0;

class load {
public:
  load(const tcp_endpoint& relay, std::uint64_t workers, std::byte capacity) {
    connections_.reserve(workers + 1);
    connect(relay, {&client_mark, 1});
    const std::array<std::byte, 2> hello{worker_mark, capacity};
    for (std::uint64_t index = 0; index < workers; ++index) {
      connect(relay, hello);
    }
  }

  // Returns the seconds.
  double run(std::uint64_t in_flight, std::uint64_t count) {
    send_requests(1);
    exchange(1);
    to_send_ = count - std::min(in_flight, count);
    const stopwatch clock;
    send_requests(count - to_send_);
    exchange(count);
    return clock.seconds();
  }

private:
  void connect(const tcp_endpoint& relay, std::span<const std::byte> hello) {
    auto& added = connections_.emplace_back(connect_to(relay), poller_, connections_.size());
    added.append(hello);
    added.flush();
  }

  void send_requests(std::uint64_t count) {
    const record request{};
    for (std::uint64_t index = 0; index < count; ++index) {
      connections_[client_tag].append(request);
    }
    connections_[client_tag].flush();
  }

  // Runs until the client has this number of replies, and sends a new request for each.
  void exchange(std::uint64_t replies) {
    while (replies > 0) {
      for (const auto& event : poller_.wait()) {
        record_stream& ready = connections_[event.data.u64];
        if ((event.events & EPOLLOUT) != 0) {
          ready.on_writable();
        }
        if ((event.events & EPOLLIN) == 0) {
          continue;
        }
        if (!ready.read()) {
          fail("the relay closed a connection: is it still running?");
        }
        const std::size_t count = ready.unread().size() / record_size;
        if (event.data.u64 != client_tag) {
          ready.append(ready.unread().first(count * record_size));
          ready.flush();
        } else {
          replies -= count;
          const std::uint64_t more = std::min<std::uint64_t>(count, to_send_);
          to_send_ -= more;
          send_requests(more);
        }
        ready.consume(count * record_size);
      }
    }
  }

  poller poller_{};
  std::vector<record_stream> connections_{};
  std::uint64_t to_send_ = 0;
};

}  // namespace
}  // namespace bench::limits

int main(int argument_count, char** values) {
  const bench::arguments arguments{argument_count, values,
                                   "ENDPOINT WORKERS IN_FLIGHT COUNT [CAPACITY]"};
  const auto endpoint = bench::parse_endpoint(arguments.text(0));
  const std::uint64_t workers = arguments.number(1);
  const std::uint64_t in_flight = arguments.number(2);
  const std::uint64_t count = arguments.number(3);
  const std::uint64_t capacity = arguments.number_or(4, 1, bench::limits::largest_capacity);
  bench::limits::load load{endpoint, workers, static_cast<std::byte>(capacity)};
  bench::print_request_rate(count, load.run(in_flight, count));
}
