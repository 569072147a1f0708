// Publishes COUNT messages for PEERS connections of subscriber; bench/support/fan_out.h says how they find each other.
#include "bench/nats/connection.h"
#include "bench/nats/fan_out.h"
#include "bench/support/arguments.h"
#include "bench/support/credit.h"
#include "bench/support/fan_out.h"

namespace bench::nats {
namespace {

void wait_for_go(connection& server) {
  std::uint64_t number = 0;
  do {
    const auto probe = make_probe(number++);
    server.publish(data_subject, {reinterpret_cast<const char*>(probe.data()), probe.size()});
  } while (!server.receive_within(probe_interval_milliseconds));
}

void publish(connection& server, std::uint64_t peers, std::uint64_t size, std::uint64_t count) {
  const std::uint64_t step = messages_per_credit(deliveries_on_their_way(size), peers);
  std::uint64_t allowed = 2 * step;
  const std::string data(size, static_cast<char>(data_mark));
  for (std::uint64_t sent = 0; sent < count; ++sent) {
    if (sent == allowed) {
      server.receive(more_credit.size());
      allowed += step;
    }
    server.publish(data_subject, data);
  }
  server.publish(data_subject, fan_out_end);
  server.synchronize();
}

void run(const arguments& arguments) {
  boost::asio::io_context context{1};
  connection server{context, parse_endpoint(arguments.text(0))};
  server.subscribe(control_subject);
  wait_for_go(server);
  publish(server, arguments.number(1), arguments.number(2), arguments.number(3));
}

}  // namespace
}  // namespace bench::nats

int main(int count, char** values) {
  bench::nats::run(bench::arguments{count, values, "ENDPOINT PEERS SIZE COUNT"});
}
