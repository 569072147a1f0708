// A subscriber of `feed` that works for a given time on each message, in one thread. Prints the throughput from the
// first message to the end of the work on the last.
#include "bench/libzmq/socket.h"
#include "bench/support/report.h"
#include "bench/support/work.h"

#include <optional>

namespace bench::libzmq {
namespace {

void run(const arguments& arguments) {
  const auto count = arguments.number(2);
  const auto work = arguments.number(3);
  context context;
  socket sub{context, ZMQ_SUB};
  sub.subscribe("");
  sub.connect(arguments.endpoint(0));
  std::optional<stopwatch> clock;
  message part;
  for (std::uint64_t done = 0; done < count; ++done) {
    do {
      sub.receive(part);
    } while (part.more());
    if (!clock) {
      clock.emplace();
    }
    work_for(work);
  }
  print_throughput(arguments.number(1), count, clock->seconds());
}

}  // namespace
}  // namespace bench::libzmq

int main(int count, char** values) {
  bench::libzmq::run(bench::arguments{count, values, "ENDPOINT SIZE COUNT NANOSECONDS"});
}
