// Majordomo client on a REQ: COUNT requests, each after the reply to the one before. One request
// before them is not counted: it waits until the broker and a worker are there.
#include "bench/libzmq/majordomo.h"
#include "bench/support/report.h"

namespace bench::libzmq {
namespace {

void ask(socket& req, multipart& parts, std::string_view service) {
  send_request(req, service);
  receive_all(req, parts);
  check_reply(parts, 0, service);
}

void run(const arguments& arguments) {
  const std::string service = arguments.text(1);
  const std::uint64_t count = arguments.number(2);
  context context;
  socket req{context, ZMQ_REQ};
  req.set(ZMQ_RCVTIMEO, reply_milliseconds);
  req.connect(arguments.endpoint(0));
  multipart parts;
  ask(req, parts, service);
  const stopwatch clock;
  for (std::uint64_t done = 0; done < count; ++done) {
    ask(req, parts, service);
  }
  print_request_rate(count, clock.seconds());
}

}  // namespace
}  // namespace bench::libzmq

int main(int count, char** values) {
  bench::libzmq::run(bench::arguments{count, values, "ENDPOINT SERVICE COUNT"});
}
