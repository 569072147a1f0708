// Binds a PULL, receives COUNT messages, one for each call, and prints how fast they came.
#include "bench/stream.h"
#include "bench/support/arguments.h"
#include "zmtp/runtime/completion.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "ENDPOINT SIZE COUNT CALL"};
  const bench::stream work{arguments.number(1), arguments.number(2)};
  const auto form = bench::parse_call(arguments.text(3));
  if (form == bench::call::block) {
    zmtp::blocking::context context;
    zmtp::blocking::pull_socket pull{context};
    pull.bind(arguments.endpoint(0));
    bench::receive_singly(pull, work);
    return 0;
  }
  boost::asio::io_context context{1};
  zmtp::pull_socket pull{context.get_executor()};
  pull.bind(arguments.endpoint(0));
  co_spawn(context, bench::receive_singly(std::move(pull), work, form), zmtp::rethrow);
  context.run();
}
