// Binds a PULL, receives COUNT messages in batches and prints how fast they came.
#include "bench/stream.h"
#include "bench/support/arguments.h"
#include "zmtp/runtime/completion.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "ENDPOINT SIZE COUNT [CONNECTIONS] [PARTS]"};
  // CONNECTIONS is for remote_thr: both take the same arguments.
  const bench::stream work{arguments.number(1), arguments.number(2), arguments.number_or(4, 1)};
  boost::asio::io_context context{1};
  zmtp::pull_socket pull{context.get_executor()};
  pull.bind(arguments.endpoint(0));
  co_spawn(context, bench::receive_stream(std::move(pull), work), zmtp::rethrow);
  context.run();
}
