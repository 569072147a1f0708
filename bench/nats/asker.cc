// Asks answerer ROUNDTRIPS questions, one after the other, and prints how long each took.
#include "bench/nats/connection.h"
#include "bench/support/arguments.h"
#include "bench/support/fan_out.h"
#include "bench/support/report.h"

namespace {

// Asks with nothing until the other program has subscribed. Further answers to this come before all others.
void await_answerer(bench::nats::connection& server) {
  do {
    server.publish("ask", {}, "answer");
  } while (!server.receive_within(bench::probe_interval_milliseconds));
}

}  // namespace

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "ENDPOINT SIZE ROUNDTRIPS"};
  const std::uint64_t size = arguments.number(1);
  const std::uint64_t roundtrips = arguments.number(2);
  boost::asio::io_context context{1};
  bench::nats::connection server{context, bench::parse_endpoint(arguments.text(0))};
  server.subscribe("answer");
  await_answerer(server);
  const std::string question(size, '?');
  const bench::stopwatch clock;
  for (std::uint64_t done = 0; done < roundtrips; ++done) {
    server.publish("ask", question, "answer");
    while (server.receive().payload.size() != size) {
    }
  }
  bench::print_latency(size, roundtrips, clock.seconds());
}
