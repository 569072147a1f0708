// Forwards messages from a PULL at FRONTEND to a PUSH that connects to BACKEND, until SIGTERM.
#include "bench/libzmq/socket.h"
#include "bench/support/stop_request.h"

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "FRONTEND BACKEND"};
  bench::accept_stop_requests();
  bench::libzmq::context context;
  bench::libzmq::socket pull{context, ZMQ_PULL};
  bench::libzmq::socket push{context, ZMQ_PUSH};
  push.set(ZMQ_LINGER, 0);
  pull.bind(arguments.endpoint(0));
  push.connect(arguments.endpoint(1));
  // The signal ends it.
  zmq_proxy(pull.handle(), push.handle(), nullptr);
  if (!bench::stop_requested()) {
    bench::libzmq::fail_zmq("cannot forward");
  }
}
