// Binds a PULL, receives COUNT messages and prints how fast they came.
#include "bench/libzmq/stream.h"

int main(int count, char** values) {
  // CONNECTIONS is for remote_thr: both take the same arguments.
  const bench::arguments arguments{count, values, "ENDPOINT SIZE COUNT [CONNECTIONS] [PARTS]"};
  const bench::libzmq::stream work{arguments.number(1), arguments.number(2),
                                   arguments.number_or(4, 1)};
  bench::libzmq::context context;
  bench::libzmq::socket pull{context, ZMQ_PULL};
  // Room for CONNECTIONS that come at once: what the kernel turns away comes a second later.
  pull.set(ZMQ_BACKLOG, 4096);
  pull.bind(arguments.endpoint(0));
  bench::libzmq::receive_stream(pull, work);
}
