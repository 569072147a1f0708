// One SUB with PEERS connections to a fan_out_pub; prints the deliveries per second.
#include "bench/libzmq/socket.h"
#include "bench/support/endpoint.h"
#include "bench/support/fan_out.h"

namespace bench::libzmq {
namespace {

int run(const arguments& arguments) {
  tcp_endpoint endpoint = parse_endpoint(arguments.text(0));
  const std::uint64_t peers = arguments.number(1);
  allow_descriptors(peers);
  context context;
  socket push{context, ZMQ_PUSH};
  push.connect("tcp://127.0.0.1:" + std::to_string(endpoint.port + 1));
  socket sub{context, ZMQ_SUB};
  sub.set(ZMQ_RCVHWM, 0);
  // Without this, a SUB that connects drops all subscriptions above the mark.
  sub.set(ZMQ_SNDHWM, 0);
  sub.set(ZMQ_RCVTIMEO, delivery_deadline_milliseconds);
  if (const std::uint64_t topics = arguments.number_or(4, 0); topics == 0) {
    sub.subscribe("");
  } else {
    for (std::uint64_t i = 0; i < topics; ++i) {
      sub.subscribe(unmatched_topic(i));
    }
    for (const std::string_view topic : fan_out_topics) {
      sub.subscribe(topic);
    }
  }
  for (std::uint64_t peer = 0; peer < peers; ++peer) {
    // A SUB ignores a second connection to the same address.
    endpoint.host = loopback_address(peer);
    sub.connect(endpoint.text());
  }
  fan_out_receiver receiver{peers, arguments.number(2), arguments.number(3)};
  fan_out_step step = fan_out_step::wait;
  for (message data; step != fan_out_step::finish && sub.try_receive(data, 0);) {
    step = receiver.on_message(data.bytes());
    if (step == fan_out_step::send_go) {
      push.send_copy(fan_out_go);
    }
  }
  return receiver.report();
}

}  // namespace
}  // namespace bench::libzmq

int main(int count, char** values) {
  return bench::libzmq::run(bench::arguments{count, values, "ENDPOINT PEERS SIZE COUNT [TOPICS]"});
}
