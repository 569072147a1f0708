#include "bench/libzmq/stream.h"

#include "bench/support/report.h"

namespace bench::libzmq {
namespace {

void receive_message(socket& pull, message& part, const stream& work) {
  for (std::uint64_t index = 1; index <= work.parts; ++index) {
    pull.receive(part);
    if (part.bytes().size() != work.size || part.more() != (index < work.parts)) {
      fail("a message of another size or number of parts: give both programs the same arguments");
    }
  }
}

}  // namespace

void send_stream(socket& push, const stream& work) {
  for (std::uint64_t sent = 0; sent < work.count; ++sent) {
    for (std::uint64_t index = 1; index <= work.parts; ++index) {
      message part{work.size};
      push.send(part, index < work.parts ? more_parts::yes : more_parts::no);
    }
  }
}

void receive_stream(socket& pull, const stream& work) {
  message part;
  receive_message(pull, part, work);
  const stopwatch clock;
  for (std::uint64_t received = 1; received < work.count; ++received) {
    receive_message(pull, part, work);
  }
  print_throughput(work.size * work.parts, work.count, clock.seconds());
}

}  // namespace bench::libzmq
