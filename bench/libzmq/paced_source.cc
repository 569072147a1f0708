// Connects a PUSH and sends COUNT messages, RATE in each second, whatever the receiver does.
#include "bench/libzmq/socket.h"
#include "bench/support/paced.h"

#include <thread>

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "ENDPOINT SIZE COUNT RATE"};
  const auto size = arguments.number(1);
  bench::libzmq::context context;
  bench::libzmq::socket push{context, ZMQ_PUSH};
  push.connect(arguments.endpoint(0));
  bench::pace pace{arguments.number(3), arguments.number(2)};
  while (!pace.over()) {
    const auto due = pace.next();
    std::this_thread::sleep_until(due);
    for (auto left = pace.take(); left != 0; --left) {
      bench::libzmq::message m{size};
      bench::stamp(m.bytes(), due);
      push.send(m);
    }
  }
}
