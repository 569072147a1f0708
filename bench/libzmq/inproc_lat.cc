// Round trips between two threads.
#include "bench/libzmq/round_trip.h"

#include <thread>

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "SIZE ROUNDTRIPS"};
  const std::uint64_t size = arguments.number(0);
  const std::uint64_t round_trips = arguments.number(1);
  const std::string endpoint = "inproc://round-trip";
  bench::libzmq::context context;
  bench::libzmq::socket req{context, ZMQ_REQ};
  req.bind(endpoint);
  const std::jthread answerer{[&] {
    bench::libzmq::socket rep{context, ZMQ_REP};
    rep.connect(endpoint);
    bench::libzmq::answer_round_trips(rep, size, round_trips);
  }};
  bench::libzmq::measure_round_trips(req, size, round_trips);
}
