// Binds a REP and returns ROUNDTRIPS messages.
#include "bench/nng/socket.h"
#include "bench/support/arguments.h"

#include <nng/protocol/reqrep0/rep.h>

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "ENDPOINT SIZE ROUNDTRIPS"};
  const std::uint64_t size = arguments.number(1);
  const std::uint64_t roundtrips = arguments.number(2);
  bench::nng::socket rep{nng_rep0_open};
  rep.bind(arguments.endpoint(0));
  bench::nng::message each;
  for (std::uint64_t answered = 0; answered < roundtrips; ++answered) {
    rep.receive(each, size);
    rep.send(each);
  }
  bench::nng::await_disconnect();
}
