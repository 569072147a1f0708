// Binds a PULL, receives COUNT messages of paced_source and prints how long they took.
#include "bench/libzmq/socket.h"
#include "bench/support/paced.h"
#include "bench/support/report.h"

int main(int count, char** values) {
  // RATE is for paced_source: both take the same arguments.
  const bench::arguments arguments{count, values, "ENDPOINT SIZE COUNT RATE"};
  const auto messages = arguments.number(2);
  bench::libzmq::context context;
  bench::libzmq::socket pull{context, ZMQ_PULL};
  pull.bind(arguments.endpoint(0));
  bench::latencies taken{messages};
  bench::libzmq::message m;
  pull.receive(m);
  const bench::stopwatch clock;
  taken.add(m.bytes(), bench::pace::clock::now());
  while (taken.incomplete()) {
    pull.receive(m);
    taken.add(m.bytes(), bench::pace::clock::now());
  }
  bench::print_throughput(arguments.number(1), messages, clock.seconds());
  taken.print();
}
