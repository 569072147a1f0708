// Connects a PUSH and sends COUNT messages, one for each call.
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
    zmtp::blocking::push_socket push{context};
    push.connect(arguments.endpoint(0));
    bench::send_singly(push, work);
    return 0;
  }
  boost::asio::io_context context{1};
  zmtp::push_socket push{context.get_executor()};
  push.connect(arguments.endpoint(0));
  co_spawn(context, bench::send_singly(std::move(push), work, form), zmtp::rethrow);
  context.run();
}
