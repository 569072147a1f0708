// As remote_thr, with TLS: the PUSH is a client.
#include "bench/stream.h"
#include "bench/support/arguments.h"
#include "bench/tls.h"
#include "zmtp/runtime/completion.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <utility>

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "ENDPOINT SIZE COUNT"};
  const bench::stream work{.size = arguments.number(1), .count = arguments.number(2)};
  boost::asio::io_context context{1};
  zmtp::push_socket push{context.get_executor(), bench::tls_client()};
  push.connect(bench::over_tls(arguments.endpoint(0)));
  co_spawn(context, bench::send_stream(std::move(push), work), zmtp::rethrow);
  context.run();
}
