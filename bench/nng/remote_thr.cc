// Connects a PUSH and sends COUNT messages.
#include "bench/nng/socket.h"
#include "bench/support/arguments.h"

#include <nng/protocol/pipeline0/push.h>

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "ENDPOINT SIZE COUNT"};
  const std::uint64_t size = arguments.number(1);
  const std::uint64_t messages = arguments.number(2);
  bench::nng::socket push{nng_push0_open};
  push.set_send_buffer(bench::nng::stream_buffer);
  push.connect(arguments.endpoint(0));
  for (std::uint64_t sent = 0; sent < messages; ++sent) {
    bench::nng::message each{size};
    push.send(each);
  }
  bench::nng::await_disconnect();
}
