// A stream from one thread to another.
#include "bench/libzmq/stream.h"

#include <thread>

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "SIZE COUNT"};
  const bench::libzmq::stream work{arguments.number(0), arguments.number(1)};
  const std::string endpoint = "inproc://stream";
  bench::libzmq::context context;
  bench::libzmq::socket pull{context, ZMQ_PULL};
  pull.bind(endpoint);
  const std::jthread sender{[&] {
    bench::libzmq::socket push{context, ZMQ_PUSH};
    push.connect(endpoint);
    bench::libzmq::send_stream(push, work);
  }};
  bench::libzmq::receive_stream(pull, work);
}
