// Connects a REQ and prints how long ROUNDTRIPS of a message take, one way.
#include "bench/round_trip.h"
#include "bench/spinning.h"
#include "bench/support/arguments.h"
#include "zmtp/runtime/completion.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "ENDPOINT SIZE ROUNDTRIPS [SPIN_US]"};
  boost::asio::io_context context{1};
  zmtp::req_socket req{context.get_executor(), bench::spinning(arguments, 3)};
  req.connect(arguments.endpoint(0));
  co_spawn(context, bench::ask(std::move(req), {arguments.number(1), arguments.number(2)}),
           zmtp::rethrow);
  context.run();
}
