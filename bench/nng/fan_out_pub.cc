// PUB for PEERS connections of fan_out_sub; bench/support/fan_out.h says how they find each other.
#include "bench/nng/socket.h"
#include "bench/support/arguments.h"
#include "bench/support/credit.h"
#include "bench/support/endpoint.h"
#include "bench/support/fan_out.h"

#include <nng/protocol/pipeline0/pull.h>
#include <nng/protocol/pubsub0/pub.h>

namespace bench::nng {
namespace {

std::string all_addresses(int port) { return "tcp://0.0.0.0:" + std::to_string(port); }

void wait_for_go(socket& pub, socket& pull) {
  pull.set_receive_deadline(probe_interval_milliseconds);
  message go;
  for (std::uint64_t number = 0;; ++number) {
    pub.send_copy(make_probe(number));
    if (pull.try_receive(go)) {
      break;
    }
  }
  pull.set_receive_deadline(delivery_deadline_milliseconds);
}

void publish(socket& pub, socket& pull, const arguments& arguments) {
  const std::uint64_t step = messages_per_credit(deliveries_on_their_way, arguments.number(1));
  const std::uint64_t size = arguments.number(2);
  const std::uint64_t count = arguments.number(3);
  std::uint64_t allowed = 2 * step;
  message credit;
  for (std::uint64_t sent = 0; sent < count; ++sent) {
    if (sent == allowed) {
      pull.receive(credit);
      allowed += step;
    }
    message data{size};
    data.bytes().front() = data_mark;
    pub.send(data);
  }
  pub.send_copy(fan_out_end);
}

void run(const arguments& arguments) {
  const int port = parse_endpoint(arguments.text(0)).port;
  allow_descriptors(arguments.number(1));
  socket pull{nng_pull0_open};
  pull.bind(all_addresses(port + 1));
  // Last, because the subscriber starts when this port listens.
  socket pub{nng_pub0_open};
  pub.set_send_buffer(largest_buffer);
  pub.bind(all_addresses(port));
  wait_for_go(pub, pull);
  publish(pub, pull, arguments);
  await_disconnect();
}

}  // namespace
}  // namespace bench::nng

int main(int count, char** values) {
  bench::nng::run(bench::arguments{count, values, "ENDPOINT PEERS SIZE COUNT"});
}
