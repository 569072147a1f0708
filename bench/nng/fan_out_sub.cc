// One SUB with PEERS connections to a fan_out_pub; prints the deliveries per second.
#include "bench/nng/socket.h"
#include "bench/support/arguments.h"
#include "bench/support/credit.h"
#include "bench/support/endpoint.h"
#include "bench/support/fan_out.h"

#include <nng/protocol/pipeline0/push.h>
#include <nng/protocol/pubsub0/sub.h>

namespace bench::nng {
namespace {

int run(const arguments& arguments) {
  tcp_endpoint endpoint = parse_endpoint(arguments.text(0));
  const std::uint64_t peers = arguments.number(1);
  allow_descriptors(peers);
  socket push{nng_push0_open};
  push.connect("tcp://127.0.0.1:" + std::to_string(endpoint.port + 1));
  socket sub{nng_sub0_open};
  sub.set_receive_buffer(largest_buffer);
  sub.set_receive_deadline(delivery_deadline_milliseconds);
  sub.subscribe("");
  for (std::uint64_t peer = 0; peer < peers; ++peer) {
    endpoint.host = loopback_address(peer);
    sub.connect(endpoint.text());
  }
  const std::uint64_t deliveries_per_credit =
      messages_per_credit(deliveries_on_their_way, peers) * peers;
  std::uint64_t delivered = 0;
  fan_out_receiver receiver{peers, arguments.number(2), arguments.number(3)};
  fan_out_step step = fan_out_step::wait;
  for (message each; step != fan_out_step::finish && sub.try_receive(each);) {
    const auto content = each.bytes();
    step = receiver.on_message(content);
    if (step == fan_out_step::send_go) {
      push.send_copy(fan_out_go);
    } else if (content.front() == data_mark && ++delivered % deliveries_per_credit == 0) {
      push.send_copy(more_credit);
    }
  }
  return receiver.report();
}

}  // namespace
}  // namespace bench::nng

int main(int count, char** values) {
  return bench::nng::run(bench::arguments{count, values, "ENDPOINT PEERS SIZE COUNT"});
}
