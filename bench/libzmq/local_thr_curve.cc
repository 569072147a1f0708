// As local_thr, with CURVE: the PULL is the server.
#include "bench/libzmq/stream.h"

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "ENDPOINT SIZE COUNT"};
  const bench::libzmq::stream work{.size = arguments.number(1), .count = arguments.number(2)};
  bench::libzmq::context context;
  bench::libzmq::socket pull{context, ZMQ_PULL};
  pull.set_curve_server();
  pull.bind(arguments.endpoint(0));
  bench::libzmq::receive_stream(pull, work);
}
