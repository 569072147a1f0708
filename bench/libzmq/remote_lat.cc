// Connects a REQ, sends ROUNDTRIPS messages one after the other and prints how long each took.
#include "bench/libzmq/round_trip.h"

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "ENDPOINT SIZE ROUNDTRIPS"};
  bench::libzmq::context context;
  bench::libzmq::socket req{context, ZMQ_REQ};
  req.connect(arguments.endpoint(0));
  bench::libzmq::measure_round_trips(req, arguments.number(1), arguments.number(2));
}
