// A stream from one thread to another, or with THREADS 1 within one executor.
#include "bench/spinning.h"
#include "bench/stream.h"
#include "bench/support/arguments.h"
#include "zmtp/runtime/completion.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <thread>

int main(int count, char** values) {
  const bench::arguments arguments{count, values, "SIZE COUNT [THREADS [SPIN_US]]"};
  const bench::stream work{arguments.number(0), arguments.number(1)};
  boost::asio::io_context here{1};
  boost::asio::io_context there{1};
  const auto options = bench::spinning(arguments, 3);
  zmtp::pull_socket pull{here.get_executor(), options};
  pull.bind("inproc://stream");
  const auto sends = arguments.number_or(2, 2) == 1 ? here.get_executor() : there.get_executor();
  zmtp::push_socket push{sends, options};
  push.connect("inproc://stream");
  co_spawn(sends, bench::send_stream(std::move(push), work), zmtp::rethrow);
  co_spawn(here, bench::receive_stream(std::move(pull), work), zmtp::rethrow);
  const std::jthread other{[&] { there.run(); }};
  here.run();
}
