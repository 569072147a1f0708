// Majordomo client on a DEALER: sends COUNT requests, then reads COUNT replies. One request before
// them is not counted: it waits until the broker and a worker are there.
#include "bench/libzmq/majordomo.h"
#include "bench/support/report.h"

namespace bench::libzmq {
namespace {

void send(socket& dealer, std::string_view service) {
  dealer.send_copy("", more_parts::yes);
  send_request(dealer, service);
}

void receive(socket& dealer, multipart& parts, std::string_view service) {
  receive_all(dealer, parts);
  check_reply(parts, 1, service);
}

void run(const arguments& arguments) {
  const std::string service = arguments.text(1);
  const std::uint64_t count = arguments.number(2);
  context context;
  socket dealer{context, ZMQ_DEALER};
  // With the default marks the broker drops replies of a client that sends before it reads.
  dealer.set_unlimited();
  dealer.set(ZMQ_RCVTIMEO, reply_milliseconds);
  dealer.connect(arguments.endpoint(0));
  multipart parts;
  send(dealer, service);
  receive(dealer, parts, service);
  const stopwatch clock;
  for (std::uint64_t sent = 0; sent < count; ++sent) {
    send(dealer, service);
  }
  for (std::uint64_t received = 0; received < count; ++received) {
    receive(dealer, parts, service);
  }
  print_request_rate(count, clock.seconds());
}

}  // namespace
}  // namespace bench::libzmq

int main(int count, char** values) {
  bench::libzmq::run(bench::arguments{count, values, "ENDPOINT SERVICE COUNT"});
}
