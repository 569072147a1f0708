#include "bench/libzmq/round_trip.h"

#include "bench/support/report.h"

namespace bench::libzmq {
namespace {

void receive_one(socket& from, message& part, std::uint64_t size) {
  from.receive(part);
  if (part.bytes().size() != size) {
    fail("a message of another size: give both programs the same arguments");
  }
}

}  // namespace

void answer_round_trips(socket& rep, std::uint64_t size, std::uint64_t count) {
  message part;
  for (std::uint64_t answered = 0; answered < count; ++answered) {
    receive_one(rep, part, size);
    rep.send(part);
  }
}

void measure_round_trips(socket& req, std::uint64_t size, std::uint64_t count) {
  message part{size};
  const stopwatch clock;
  for (std::uint64_t done = 0; done < count; ++done) {
    req.send(part);
    receive_one(req, part, size);
  }
  print_latency(size, count, clock.seconds());
}

}  // namespace bench::libzmq
