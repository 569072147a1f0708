// Binds a REP and returns ROUNDTRIPS messages.
#include "bench/libzmq/round_trip.h"

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "ENDPOINT SIZE ROUNDTRIPS"};
  bench::libzmq::context context;
  bench::libzmq::socket rep{context, ZMQ_REP};
  rep.bind(arguments.endpoint(0));
  bench::libzmq::answer_round_trips(rep, arguments.number(1), arguments.number(2));
}
