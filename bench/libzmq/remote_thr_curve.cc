// As remote_thr, with CURVE: the PUSH is a client.
#include "bench/libzmq/stream.h"

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "ENDPOINT SIZE COUNT"};
  const bench::libzmq::stream work{.size = arguments.number(1), .count = arguments.number(2)};
  bench::libzmq::context context;
  bench::libzmq::socket push{context, ZMQ_PUSH};
  push.set_curve_client();
  push.connect(arguments.endpoint(0));
  bench::libzmq::send_stream(push, work);
}
