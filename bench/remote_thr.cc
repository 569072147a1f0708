// Connects a PUSH, CONNECTIONS times, and sends COUNT messages in all.
#include "bench/stream.h"
#include "bench/support/arguments.h"
#include "bench/support/endpoint.h"
#include "zmtp/runtime/completion.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "ENDPOINT SIZE COUNT [CONNECTIONS] [PARTS]"};
  const bench::stream work{arguments.number(1), arguments.number(2), arguments.number_or(4, 1)};
  const auto connections = arguments.number_or(3, 1);
  bench::allow_descriptors(connections);
  boost::asio::io_context context{1};
  zmtp::push_socket push{context.get_executor()};
  for (std::uint64_t i = 0; i < connections; ++i) {
    push.connect(arguments.endpoint(0));
  }
  co_spawn(context, bench::send_stream(std::move(push), work), zmtp::rethrow);
  context.run();
}
