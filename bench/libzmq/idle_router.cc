// A ROUTER that prints what each of CONNECTIONS idle peers costs in memory, once each has sent one
// message; echoes everything and ends after a second message from each. Its peer is
// bench/limits/idle_peers.
#include "bench/libzmq/socket.h"
#include "bench/support/endpoint.h"
#include "bench/support/report.h"
#include "bench/support/stop_request.h"

namespace bench::libzmq {
namespace {

// Returns false if no message arrived in time.
bool echo_message(socket& router) {
  message part;
  if (!router.wait_readable(stop_check_milliseconds)) {
    return false;
  }
  for (bool more = true; more;) {
    router.receive(part);
    more = part.more();
    router.send(part, more ? more_parts::yes : more_parts::no);
  }
  return true;
}

void run(const arguments& arguments) {
  const std::uint64_t connections = arguments.number(1);
  allow_descriptors(connections);
  accept_stop_requests();
  context context;
  socket router{context, ZMQ_ROUTER};
  router.bind(arguments.endpoint(0));
  const std::uint64_t before = resident_bytes();
  for (std::uint64_t echoed = 0; echoed < 2 * connections && !stop_requested();) {
    if (!echo_message(router)) {
      continue;
    }
    ++echoed;
    if (echoed == connections) {
      print_memory_per_connection(connections, before, resident_bytes());
    }
  }
}

}  // namespace
}  // namespace bench::libzmq

int main(int count, char** values) {
  bench::libzmq::run(bench::arguments{count, values, "ENDPOINT CONNECTIONS"});
}
