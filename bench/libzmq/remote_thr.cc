// Connects a PUSH, CONNECTIONS times, and sends COUNT messages in all.
#include "bench/libzmq/stream.h"
#include "bench/support/endpoint.h"

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "ENDPOINT SIZE COUNT [CONNECTIONS] [PARTS]"};
  const bench::libzmq::stream work{arguments.number(1), arguments.number(2),
                                   arguments.number_or(4, 1)};
  const std::uint64_t connections = arguments.number_or(3, 1);
  bench::allow_descriptors(connections);
  bench::libzmq::context context;
  bench::libzmq::socket push{context, ZMQ_PUSH};
  for (std::uint64_t index = 0; index < connections; ++index) {
    push.connect(arguments.endpoint(0));
  }
  bench::libzmq::send_stream(push, work);
}
