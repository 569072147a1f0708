// Majordomo broker at ENDPOINT, for clients and workers, until SIGTERM.
#include "bench/libzmq/broker.h"
#include "bench/support/stop_request.h"

namespace bench::libzmq {
namespace {

void run(const arguments& arguments) {
  accept_stop_requests();
  context context;
  socket router{context, ZMQ_ROUTER};
  // With the default marks a ROUTER drops what a client that sends before it reads has not read.
  router.set_unlimited();
  router.set(ZMQ_LINGER, 0);
  router.bind(arguments.endpoint(0));
  const std::chrono::milliseconds interval{
      arguments.number_or(1, heartbeat_milliseconds, longest_heartbeat_milliseconds)};
  broker majordomo{router, interval};
  using clock = std::chrono::steady_clock;
  for (auto next_tick = clock::now() + interval; !stop_requested();) {
    if (router.wait_readable(stop_check_milliseconds)) {
      majordomo.handle_message();
    }
    if (const auto now = clock::now(); now >= next_tick) {
      next_tick = now + interval;
      majordomo.tick();
    }
  }
}

}  // namespace
}  // namespace bench::libzmq

int main(int count, char** values) {
  bench::libzmq::run(bench::arguments{count, values, "ENDPOINT [HEARTBEAT_MS]"});
}
