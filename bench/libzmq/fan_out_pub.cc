// PUB for PEERS connections of fan_out_sub; bench/support/fan_out.h says how they find each other.
#include "bench/libzmq/socket.h"
#include "bench/support/endpoint.h"
#include "bench/support/fan_out.h"

namespace bench::libzmq {
namespace {

std::string all_addresses(int port) { return "tcp://*:" + std::to_string(port); }

void publish(socket& pub, std::span<const std::byte> content) {
  pub.send_copy({reinterpret_cast<const char*>(content.data()), content.size()});
}

void wait_for_go(socket& pub, socket& pull) {
  for (std::uint64_t number = 0;; ++number) {
    publish(pub, make_probe(number));
    if (pull.wait_readable(probe_interval_milliseconds)) {
      message go;
      pull.receive(go);
      return;
    }
  }
}

void run(const arguments& arguments) {
  // PEERS is for fan_out_sub. It connects to addresses all over 127/8, so all are bound.
  const int port = parse_endpoint(arguments.text(0)).port;
  const std::uint64_t peers = arguments.number(1);
  const std::uint64_t size = arguments.number(2);
  const std::uint64_t count = arguments.number(3);
  allow_descriptors(peers);
  context context;
  socket pub{context, ZMQ_PUB};
  pub.set(ZMQ_XPUB_NODROP, 1);
  pub.set(ZMQ_SNDHWM, 0);
  pub.set(ZMQ_BACKLOG, 4096);
  pub.bind(all_addresses(port));
  socket pull{context, ZMQ_PULL};
  pull.bind(all_addresses(port + 1));
  wait_for_go(pub, pull);
  for (std::uint64_t sent = 0; sent < count; ++sent) {
    message data{size};
    data.bytes().front() = data_mark;
    pub.send(data);
  }
  pub.send_copy(fan_out_end);
}

}  // namespace
}  // namespace bench::libzmq

int main(int count, char** values) {
  bench::libzmq::run(bench::arguments{count, values, "ENDPOINT PEERS SIZE COUNT"});
}
